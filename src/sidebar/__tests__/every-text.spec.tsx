/**
 * The whole sidebar in a language that does not exist: what comes out of the translator stands in
 * ⟦…⟧, what comes from people, planners and kernels in «…». Any other letter bypassed the translator.
 */
import type { TranslationBundle } from '@jupyterlab/translation';
import { CommandRegistry } from '@lumino/commands';
import { MessageLoop } from '@lumino/messaging';
import { Widget } from '@lumino/widgets';
import { act } from 'react';

import type { Files } from '../../notebook/files';
import { NotebookLink } from '../../notebook/link';
import type { Pending, RunError, RunView } from '../../protocol';
import { FakeClient, SHELL, someRun } from '../../runs/__tests__/fake-client';
import { RunFeed } from '../../runs/feed';
import { Model } from '../../runs/model';
import { Sidebar } from '../sidebar';
import { KeptDraft } from '../start/draft';

(
  globalThis as { IS_REACT_ACT_ENVIRONMENT?: boolean }
).IS_REACT_ACT_ENVIRONMENT = true;

const SPOKEN = ['aria-label', 'title', 'placeholder', 'alt'];

function fill(message: string, values: readonly unknown[]): string {
  return `⟦${message.replace(/%(\d)/g, (_, at: string) => String(values[Number(at) - 1]))}⟧`;
}

const TRANS = {
  __: (message: string, ...values: unknown[]) => fill(message, values),
  _n: (one: string, many: string, count: number, ...values: unknown[]) =>
    fill(count === 1 ? one : many, [count, ...values])
} as unknown as TranslationBundle;

const STAGES: RunView['progress']['stages'] = [
  {
    id: 'load',
    name: '«load»',
    status: 'running',
    reached: false,
    steps: [
      {
        id: 'read',
        name: '«read»',
        status: 'running',
        reached: false,
        behaviors: 1
      }
    ]
  }
];

function node(key: string, level: string, name: string): object {
  return {
    key,
    level,
    revision: 1,
    stage_id: 'load',
    step_id: 'read',
    iteration: 1,
    name,
    status: 'running',
    started_at: '2026-01-01T00:00:00.000Z',
    ended_at: '2026-01-01T00:00:09.000Z',
    rested_ms: 0,
    attempts: 2,
    words: '«words»',
    error: '«error»',
    cell_id: null
  };
}

const NODES = [
  node('load', 'stage', '«load»'),
  node('load/read', 'step', '«read»'),
  node('load/read/1', 'behavior', 'behavior_1'),
  ...['add: «line»', 'exec', 'new_chapter: «line»', 'is_thinking'].map(
    (label, at) => node(`load/read/1/a${String(at)}`, 'action', label)
  )
];

const RUN = someRun({
  notebook: '«notebook»',
  goal: '«goal»',
  allowed_commands: ['pause', 'resume', 'step', 'cancel', 'reset'],
  thinking: { agent_name: '«agent»', text: '«thought»' },
  overwritten: { rebound: ['«df»'], deleted: ['«raw»'] },
  doing: { what: 'cell', since: '2026-01-01T00:00:00.000Z', cell_id: null },
  decision: {
    proposal_id: 'p0',
    kind: 'steps',
    verdict: 'rejected',
    decided_by: '«who»',
    reason: '«why»',
    edited: false
  },
  progress: {
    ...someRun().progress,
    workflow: '«workflow»',
    stages: STAGES,
    focus: { stages: '«focus»', steps: '«focus»', behaviors: '«focus»' },
    attainment: { stages: 0.5, steps: 1, behaviors: 0 },
    verdict: 'continues'
  }
});

const PLAN = {
  stages: [{ id: 'load', name: '«load»', steps: [{ id: 'a', name: '«a»' }] }]
};

function question(kind: Pending['kind'], content: object): Pending {
  const changed = { id: 'a', stage_id: 'load', name: '«a»' };
  return {
    id: `p-${kind}`,
    kind,
    summary: 'not shown',
    content: content as Record<string, unknown>,
    before: kind === 'workflow' ? PLAN : null,
    changes:
      kind === 'workflow'
        ? (['added', 'removed', 'renamed', 'moved', 'changed'] as const).map(
            change => ({
              ...changed,
              change,
              level: 'step' as const,
              before: '«before»',
              after: '«after»'
            })
          )
        : [],
    asked_at: ''
  };
}

const ERROR: RunError = {
  message: '«message»',
  kind: 'ActionFailed',
  location: { stage_id: 'load', step_id: 'read' },
  cell_id: 'c',
  traceback: '«traceback»',
  remedies: []
};

const VIEWS: [string, Partial<RunView>][] = [
  ['running', {}],
  ['paused', { status: 'paused', status_reason: 'budget' }],
  ['a new kernel', { status: 'paused', status_reason: 'kernel' }],
  ['a workflow', { pending: question('workflow', PLAN) }],
  ['steps', { pending: question('steps', { updated_steps: [] }) }],
  ['a plan', { pending: question('plan', PLAN) }],
  ['a group', { pending: question('behavior', { goal: '«goal»' }) }],
  ['code', { pending: question('code', { source: '«source»' }) }],
  ['a rebuild', { pending: question('rebuild', { cell_ids: ['c'] }) }],
  [
    'failed',
    {
      status: 'failed',
      state: 'error',
      error: ERROR,
      allowed_commands: ['debug', 'retry', 'restart', 'reset']
    }
  ],
  [
    'done',
    {
      status: 'done',
      state: 'workflow_completed',
      ended_at: '2026-01-01T00:01:00.000Z'
    }
  ]
];

describe('In every view of the sidebar', () => {
  let client: FakeClient;
  let sidebar: Sidebar;

  async function settle(apply: () => void = () => undefined): Promise<void> {
    await act(async () => {
      apply();
      MessageLoop.flush();
      await sidebar.renderPromise;
      await new Promise(resolve => setTimeout(resolve, 20));
    });
  }

  beforeEach(async () => {
    client = new FakeClient();
    client.api.activity = jest
      .fn()
      .mockResolvedValue({ epoch: 0, nodes: NODES });
    client.api.playbooks = jest.fn().mockResolvedValue([
      {
        name: 'p',
        title: '«playbook»',
        description: '«description»',
        variables: {
          data_path: { description: '«data»', required: true },
          '«variable»': { description: '«about»' }
        }
      }
    ]);
    client.api.transitions = jest.fn().mockResolvedValue([
      {
        number: 1,
        from: 'idle',
        event: 'START_WORKFLOW',
        to: 'stage_running',
        timestamp: '2026-01-01T00:00:00.000Z'
      }
    ]);
    client.api.calls = jest.fn().mockResolvedValue([
      {
        number: 1,
        kind: 'planning',
        url: '',
        started_at: '2026-01-01T00:00:00.000Z',
        duration_ms: 12,
        status: 200,
        tries: 2,
        request_bytes: 10,
        answer_bytes: 10,
        request: '«request»',
        answer: '«answer»',
        error: '«error»'
      }
    ]);
    client.api.observation = jest.fn().mockResolvedValue({
      context: {
        variables: { '«x»': '«value»' },
        toDoList: ['«todo»'],
        effects: { current: ['«effect»'], history: [] },
        section_progress: { all: ['«section»'] },
        left_out: { variables: 3, effects: 2 }
      }
    });
    client.api.states = jest
      .fn()
      .mockResolvedValue({ states: ['idle'], transitions: [] });
    client.api.checkPlanner = jest
      .fn()
      .mockResolvedValue({ ok: false, outcome: 'silent', message: '«no»' });
    const model = new Model(client.asClient());
    const commands = new CommandRegistry();
    sidebar = new Sidebar({
      model,
      feed: new RunFeed(model),
      link: new NotebookLink(commands, SHELL, null, model, false),
      files: {
        canPick: true,
        tablesIn: () => Promise.resolve([]),
        exists: () => Promise.resolve(false),
        free: () => Promise.resolve('«notebook»')
      } as unknown as Files,
      commands,
      kept: new KeptDraft(),
      language: 'en',
      trans: TRANS
    });
    await settle(() => {
      Widget.attach(sidebar, document.body);
    });
  });

  afterEach(() => {
    act(() => {
      sidebar.dispose();
    });
  });

  /** Open whatever can be opened. */
  async function unfold(): Promise<void> {
    for (let round = 0; round < 3; round += 1) {
      await settle(() => {
        sidebar.node
          .querySelectorAll<HTMLElement>('button[aria-expanded="false"]')
          .forEach(button => {
            button.click();
          });
      });
    }
    await settle(() => {
      sidebar.node
        .querySelectorAll<HTMLElement>('[role="treeitem"]')
        .forEach(row => {
          row.click();
        });
    });
  }

  it.each(VIEWS)('every text is translated: %s', async (_, more) => {
    await settle(() => {
      client.greet('step_running', [{ ...RUN, ...more }]);
    });
    await settle();
    await unfold();
    expect(untranslated(sidebar.node)).toEqual([]);
    for (const name of ['Edit', 'Reject']) {
      const button = [...sidebar.node.querySelectorAll('button')].find(
        ({ textContent }) => textContent === `⟦${name}⟧`
      );
      if (button) {
        await settle(() => {
          button.click();
        });
        expect(untranslated(sidebar.node)).toEqual([]);
        await settle(() => {
          [...sidebar.node.querySelectorAll('button')]
            .find(({ textContent }) => textContent === '⟦Back⟧')
            ?.click();
        });
      }
    }
    expect(sidebar.node.textContent.length).toBeGreaterThan(400);
  });

  it('every text is translated: the form, and what is wrong in it', async () => {
    await settle(() => {
      client.greet('idle');
    });
    await unfold();
    expect(untranslated(sidebar.node)).toEqual([]);
    await settle(() => {
      sidebar.node.querySelector('form')?.requestSubmit();
    });
    expect(sidebar.node.textContent).toContain('This playbook needs it');
    expect(untranslated(sidebar.node)).toEqual([]);
  });
});

/** Texts with letters that neither the translator nor anybody's data accounts for. */
function untranslated(root: HTMLElement): string[] {
  const found: string[] = [];
  const check = (text: string | null, where: Element): void => {
    // Names of states and events are the machine's own, the same in every language.
    if (!text || where.closest('code, svg, style')) {
      return;
    }
    let rest = text;
    let shorter = rest.replace(/⟦[^⟦⟧]*⟧|«[^«»]*»/gu, '');
    while (shorter !== rest) {
      rest = shorter;
      shorter = rest.replace(/⟦[^⟦⟧]*⟧|«[^«»]*»/gu, '');
    }
    // Units of bytes are the same in every language.
    if (/\p{L}/u.test(rest.replace(/\b[kM]?B\b/g, ''))) {
      found.push(text);
    }
  };
  for (const element of root.querySelectorAll('*')) {
    for (const child of element.childNodes) {
      if (child.nodeType === Node.TEXT_NODE) {
        check(child.textContent, element);
      }
    }
    for (const name of SPOKEN) {
      check(element.getAttribute(name), element);
    }
  }
  return found;
}
