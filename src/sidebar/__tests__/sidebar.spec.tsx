import { nullTranslator } from '@jupyterlab/translation';
import { CommandRegistry } from '@lumino/commands';
import { MessageLoop } from '@lumino/messaging';
import { Widget } from '@lumino/widgets';
import { act } from 'react';

import type { Files } from '../../notebook/files';
import { NotebookLink } from '../../notebook/link';
import type { Pending, RunView } from '../../protocol';
import {
  FakeClient,
  SHELL,
  SOME_RUN,
  someRun
} from '../../runs/__tests__/fake-client';
import { RunFeed } from '../../runs/feed';
import { Model } from '../../runs/model';
import { DEFAULT_SETTINGS } from '../../settings';
import { Sidebar } from '../sidebar';
import { KeptDraft } from '../start/draft';

(
  globalThis as { IS_REACT_ACT_ENVIRONMENT?: boolean }
).IS_REACT_ACT_ENVIRONMENT = true;

const FILES = {
  canPick: false,
  tablesIn: () => Promise.resolve([]),
  free: (path: string) => Promise.resolve(path)
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
      link: new NotebookLink(commands, SHELL, null, model, false),
      files: FILES,
      commands,
      kept: new KeptDraft(),
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
    expect(testId('bcc-state')?.getAttribute('data-state')).toBeNull();
    expect(sidebar.node.textContent).toContain('Waiting for the server');
  });

  it('shows the state of the server, as its name and in words', async () => {
    await change(() => {
      client.greet('idle');
    });
    expect(testId('bcc-state')?.getAttribute('data-state')).toBe('idle');
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
    expect(testId('bcc-state')?.getAttribute('data-state')).toBe('idle');
  });

  it('C10: says that it waits, not that the planner is writing', async () => {
    const pending: Pending = {
      id: 'p1',
      kind: 'behavior',
      summary: '',
      content: {},
      before: null,
      changes: [],
      asked_at: ''
    };
    const doing = { what: 'generating', since: '', cell_id: null } as const;
    await change(() => {
      client.greet('behavior_running', [
        someRun({ pending, doing, status: 'waiting' })
      ]);
    });
    const state = testId('bcc-state')?.textContent ?? '';
    expect(state).toContain('Waiting for your decision');
    expect(state).not.toContain('writing');
    expect(state).not.toContain('behavior_running');
  });

  it('N12: the clock of a run that waits stands, without its earlier rests', async () => {
    await change(() => {
      client.greet('behavior_running', [
        someRun({
          status: 'waiting',
          rested_ms: 60_000,
          resting_since: '2026-01-01T00:05:00.000Z'
        })
      ]);
    });
    expect(
      sidebar.node.querySelector('.bcc-State-time')?.textContent
    ).toContain('4 min 00 s');
  });

  it.each([
    ['workflow', 'the goal is reached'],
    ['stage', 'the goal of this stage is reached'],
    ['step', 'the goal of this step is reached']
  ] as const)(
    'C10: what is reached is the %s',
    async (verdict_level, words) => {
      const { progress } = someRun();
      await change(() => {
        client.greet('step_completed', [
          someRun({
            progress: { ...progress, verdict_level, verdict: 'achieved' }
          })
        ]);
      });
      expect(sidebar.node.textContent).toContain(words);
    }
  );

  it('C10: the words about the stage are its goal, not an old proposal', async () => {
    const { progress } = someRun();
    await change(() => {
      client.greet('step_running', [
        someRun({
          progress: {
            ...progress,
            focus: { stages: 'I propose three more steps' },
            goals: { stage: 'Know the data' }
          }
        })
      ]);
    });
    expect(sidebar.node.textContent).toContain('Know the data');
    expect(sidebar.node.textContent).not.toContain('I propose');
  });

  it('N2: names that the run took are told, and only then', async () => {
    await change(() => {
      client.greet('workflow_completed', [SOME_RUN]);
    });
    expect(testId('bcc-overwritten')).toBeNull();
    const overwritten = { rebound: ['df', 'x'], deleted: ['raw'] };
    await change(() => {
      client.greet('workflow_completed', [someRun({ overwritten })]);
    });
    const told = testId('bcc-overwritten')?.textContent;
    expect(told).toContain('have new values: df, x');
    expect(told).toContain('were deleted: raw');
  });

  it('N5: the form says that a playbook does not read the goal', async () => {
    const playbook = {
      name: 'fixed',
      title: 'F',
      description: '',
      variables: {}
    };
    client.api.playbooks = jest
      .fn()
      .mockResolvedValue([{ ...playbook, reads_goal: false }]);
    await change(() => {
      client.greet('idle');
    });
    expect(sidebar.node.textContent).toContain('does not read it');
  });

  it('offers the playbooks that lie where the run is to write', async () => {
    const named = (name: string): object => ({
      name,
      title: name,
      description: '',
      variables: {},
      reads_goal: true
    });
    const asked = jest.fn((_: string, notebook: string) =>
      Promise.resolve(
        notebook.startsWith('work/')
          ? [named('lifecycle'), named('sales.yaml')]
          : [named('lifecycle')]
      )
    );
    client.api.playbooks = asked;
    await change(() => {
      client.greet('idle');
    });
    const offered = (): string[] =>
      [...sidebar.node.querySelectorAll('option')].map(({ value }) => value);
    expect(offered()).not.toContain('sales.yaml');
    const field = [...sidebar.node.querySelectorAll('input')].find(
      ({ value }) => value.endsWith('.ipynb')
    );
    await change(() => {
      // React's own setter on the element would take it for no change.
      Reflect.set(HTMLInputElement.prototype, 'value', 'work/new.ipynb', field);
      field?.dispatchEvent(new Event('input', { bubbles: true }));
    });
    expect(offered()).toContain('sales.yaml');
  });

  it('C9: beside a notebook without a run no other run’s state is shown', async () => {
    await change(() => {
      client.greet('workflow_completed', [SOME_RUN]);
      model.front = 'without.ipynb';
    });
    expect(sidebar.node.textContent).toContain('There is no run in');
    expect(testId('bcc-state')).toBeNull();
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

  it('B8: runs the code as the person edited it', async () => {
    client.api.command = jest.fn().mockResolvedValue(SOME_RUN);
    const pending: Pending = {
      id: 'p1',
      kind: 'code',
      summary: '',
      content: { source: 'x = 1' },
      before: null,
      changes: [],
      asked_at: ''
    };
    await change(() => {
      client.greet('action_running', [someRun({ pending })]);
    });
    await change(() => {
      button('Edit').click();
    });
    const code = sidebar.node.querySelector('textarea');
    expect(code?.value).toBe('x = 1');
    await change(() => {
      const { set } = Object.getOwnPropertyDescriptor(
        HTMLTextAreaElement.prototype,
        'value'
      ) as { set: (this: HTMLTextAreaElement, value: string) => void };
      set.call(code!, 'x = 2');
      code?.dispatchEvent(new Event('input', { bubbles: true }));
    });
    await change(() => {
      button('Run the edited code').click();
    });
    expect(client.api.command).toHaveBeenCalledWith(
      'r1',
      expect.objectContaining({
        command: 'confirm',
        proposal_id: 'p1',
        edited: { source: 'x = 2' }
      })
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
