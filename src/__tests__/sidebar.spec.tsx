import { nullTranslator } from '@jupyterlab/translation';
import { CommandRegistry } from '@lumino/commands';
import { MessageLoop } from '@lumino/messaging';
import { Widget } from '@lumino/widgets';
import { act } from 'react';

import { Model } from '../model';
import { DEFAULT_SETTINGS } from '../settings';
import { Sidebar } from '../sidebar/sidebar';
import { FakeClient, SOME_RUN } from './fake-client';

(
  globalThis as { IS_REACT_ACT_ENVIRONMENT?: boolean }
).IS_REACT_ACT_ENVIRONMENT = true;

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
      commands,
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

  it('explains itself to a newcomer until there is a run', async () => {
    expect(sidebar.node.querySelector('.bcc-Welcome')).not.toBeNull();
    await change(() => {
      client.greet('stage_running', [SOME_RUN]);
    });
    expect(sidebar.node.querySelector('.bcc-Welcome')).toBeNull();
  });

  it('announces changes of state and connection to screen readers', () => {
    const live = sidebar.node.querySelectorAll('[role="status"]');
    expect(live).toHaveLength(2);
    expect(sidebar.node.getAttribute('aria-label')).toBe('Notebook-BCC');
  });

  it('shows the settings and opens their editor where there is one', async () => {
    expect(sidebar.node.textContent).toContain('Embedded');
    expect(sidebar.node.querySelector('button')).toBeNull();
    const execute = jest.fn();
    commands.addCommand('settingeditor:open', {
      execute,
      describedBy: { args: { type: 'object', properties: {} } }
    });
    await change(() => {
      model.settings = { ...DEFAULT_SETTINGS, plannerUrl: 'http://h:1' };
    });
    expect(sidebar.node.textContent).toContain('http://h:1');
    sidebar.node.querySelector('button')?.click();
    expect(execute).toHaveBeenCalledWith({ query: 'Notebook-BCC' });
  });
});
