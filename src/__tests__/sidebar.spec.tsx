import { nullTranslator } from '@jupyterlab/translation';
import { CommandRegistry } from '@lumino/commands';
import { MessageLoop } from '@lumino/messaging';
import { Widget } from '@lumino/widgets';
import { act } from 'react';

import type { Files } from '../files';
import { Model } from '../model';
import { NotebookLink } from '../notebook-link';
import type { Pending, RunView } from '../protocol';
import { RunFeed } from '../run-feed';
import { DEFAULT_SETTINGS } from '../settings';
import { Sidebar } from '../sidebar/sidebar';
import { FakeClient, SOME_RUN, someRun } from './fake-client';

(
  globalThis as { IS_REACT_ACT_ENVIRONMENT?: boolean }
).IS_REACT_ACT_ENVIRONMENT = true;

const FILES = {
  canPick: false,
  tablesIn: () => Promise.resolve([])
} as unknown as Files;

describe('Sidebar', () => {
  let client: FakeClient;
  let model: Model;
  let commands: CommandRegistry;
  let sidebar: Sidebar;

  async function change(apply: () => void): Promise<void> {
    await act(async () => {
      apply();
      MessageLoop.flush();
      await sidebar.renderPromise;
    });
  }

  beforeEach(async () => {
    client = new FakeClient();
    model = new Model(client.asClient());
    commands = new CommandRegistry();
    sidebar = new Sidebar({
      model,
      feed: new RunFeed(model),
      link: new NotebookLink(commands, null, model),
      files: FILES,
      commands,
      language: 'en',
      trans: nullTranslator.load('notebook_bcc_ext')
    });
    await change(() => {
      Widget.attach(sidebar, document.body);
    });
  });

  afterEach(() => {
    act(() => {
      sidebar.dispose();
    });
  });

  const testId = (name: string): Element | null =>
    sidebar.node.querySelector(`[data-testid="${name}"]`);
  const button = (label: string): HTMLButtonElement => {
    const found = [...sidebar.node.querySelectorAll('button')].find(
      ({ textContent }) => textContent === label
    );
    if (!found) {
      throw new Error(`there is no button ${label}`);
    }
    return found;
  };

  it('says that it is connecting before anything is known', () => {
    expect(testId('bcc-connection')?.textContent).toBe('Connecting…');
    expect(testId('bcc-state')).toBeNull();
    expect(sidebar.node.textContent).toContain('Waiting for the server');
  });

  it('shows the state of the server, as its name and in words', async () => {
    await change(() => {
      client.greet('idle');
    });
    expect(testId('bcc-state')?.textContent).toBe('idle');
    expect(testId('bcc-connection')?.textContent).toBe('Connected');
    expect(sidebar.node.textContent).toContain('Ready, no run in progress');
    expect(sidebar.node.textContent).toContain('Version 1.2.3');
  });

  it('says so when the connection is lost, and keeps the state', async () => {
    await change(() => {
      client.greet('idle');
      client.become('reconnecting');
    });
    expect(testId('bcc-connection')?.textContent).toBe('Reconnecting…');
    expect(testId('bcc-state')?.textContent).toBe('idle');
  });

  it('offers to start a run until there is one', async () => {
    await change(() => {
      client.greet('idle');
    });
    expect(sidebar.node.querySelector('form')).not.toBeNull();
    await change(() => {
      client.greet('step_running', [SOME_RUN]);
    });
    expect(sidebar.node.querySelector('form')).toBeNull();
    expect(sidebar.node.textContent).toContain(
      'Step 2 of 2, plan revised 2 times'
    );
  });

  it('offers the orders that the server allows, and no others', async () => {
    client.api.command = jest.fn().mockResolvedValue(SOME_RUN);
    await change(() => {
      client.greet('step_running', [SOME_RUN]);
    });
    expect(() => button('Resume')).toThrow();
    await change(() => {
      button('Pause').click();
    });
    expect(client.api.command).toHaveBeenCalledWith(
      'r1',
      expect.objectContaining({ command: 'pause' })
    );
  });

  it('shows what a planner wrote as text, whatever it looks like', async () => {
    const evil = '<img src=x onerror="alert(1)">';
    const pending: Pending = {
      id: 'p1',
      kind: 'behavior',
      summary: '',
      content: { goal: evil },
      before: null,
      changes: [],
      asked_at: ''
    };
    const error = {
      message: evil,
      kind: 'Planner',
      location: {},
      cell_id: null,
      traceback: null,
      remedies: []
    };
    const shown = async (run: RunView): Promise<number> => {
      await change(() => {
        client.greet('step_running', [run]);
      });
      expect(sidebar.node.querySelector('img')).toBeNull();
      return sidebar.node.textContent.split(evil).length - 1;
    };
    expect(await shown(someRun({ pending, error }))).toBe(2);
    expect(await shown(someRun({ goal: evil }))).toBe(1);
  });

  it('announces changes of state and connection to screen readers', async () => {
    await change(() => {
      client.greet('step_running', [SOME_RUN]);
    });
    const live = sidebar.node.querySelectorAll('[role="status"]');
    expect(live.length).toBeGreaterThan(1);
    expect(sidebar.node.getAttribute('aria-label')).toBe('Notebook-BCC');
  });

  it('shows the settings and opens their editor where there is one', async () => {
    await change(() => {
      client.greet('idle');
    });
    expect(sidebar.node.textContent).toContain('Embedded');
    const execute = jest.fn();
    commands.addCommand('settingeditor:open', {
      execute,
      describedBy: { args: { type: 'object', properties: {} } }
    });
    await change(() => {
      model.settings = { ...DEFAULT_SETTINGS, plannerUrl: 'http://h:1' };
    });
    expect(sidebar.node.textContent).toContain('http://h:1');
    sidebar.node
      .querySelector<HTMLElement>('[aria-label="Change the settings"]')
      ?.click();
    expect(execute).toHaveBeenCalledWith({ query: 'Notebook-BCC' });
  });
});
