import type { JupyterFrontEnd } from '@jupyterlab/application';
import { Signal } from '@lumino/signaling';

import type { Api } from '../../connection/api';
import type { Client } from '../../connection/client';
import type { RunMessage } from '../../connection/messages';
import type { RunView, State } from '../../protocol';
import type { Connection } from '../../tokens';
import type { News } from '../events';

/** A page without tabs to bring to the front. */
export const SHELL = {
  activateById: () => undefined
} as unknown as JupyterFrontEnd.IShell;

/** A run as the server tells it; each test says what matters to it. */
export function someRun(more: Partial<RunView> = {}): RunView {
  return {
    id: 'r1',
    notebook: 'work/a.ipynb',
    state: 'step_running',
    status: 'running',
    status_reason: null,
    allowed_events: [],
    allowed_commands: ['pause', 'cancel'],
    location: {},
    progress: {
      workflow: 'A plan',
      fraction: 0.5,
      steps_done: 1,
      steps_total: 2,
      stages: [],
      focus: {},
      goals: {},
      attainment: {},
      verdict: null,
      verdict_level: null,
      reached: false,
      estimated_remaining_behaviors: null
    },
    pending: null,
    decision: null,
    error: null,
    counts: {
      actions: 0,
      actions_succeeded: 0,
      actions_failed: 0,
      actions_skipped: 0,
      lines_skipped: 0,
      cells_added: 0,
      cells_executed: 0,
      behaviors: 0,
      planner_calls: 3,
      plan_revisions: 2,
      bytes_sent: 0
    },
    planner: {},
    goal: null,
    data: null,
    approval: 'updates',
    thinking: null,
    doing: null,
    overwritten: { rebound: [], deleted: [] },
    revision: 1,
    created_at: '2026-01-01T00:00:00.000Z',
    updated_at: '2026-01-01T00:00:10.000Z',
    ended_at: null,
    rested_ms: 0,
    resting_since: null,
    ...more
  };
}

export const SOME_RUN = someRun();

export const TRANSITION: News = {
  kind: 'transition',
  time: '2026-01-01T00:00:10.000Z',
  number: 1,
  from: 'idle',
  event: 'START_WORKFLOW',
  to: 'stage_running',
  going_on: false
};

export const CALL_ENDED: News = {
  kind: 'call_ended',
  time: '2026-01-01T00:00:10.000Z',
  number: 1,
  call: 'planning',
  status: 200,
  tries: 1,
  duration_ms: 1,
  request_bytes: 1,
  answer_bytes: 1,
  error: null
};

export const ACTION_ENDED: News = {
  kind: 'action_ended',
  time: '2026-01-01T00:00:10.000Z',
  number: 1,
  action_id: 'action-1',
  type: 'add',
  success: true,
  refused: false,
  error: null,
  cell_id: null,
  again: false,
  ends_step: false
};

/**
 * A client without a network: tests say what the server says.
 */
export class FakeClient {
  readonly connectionChanged = new Signal<this, Connection>(this);
  readonly runNews = new Signal<this, RunMessage>(this);
  connection: Connection = 'connecting';
  /** What a test wants answered; everything else is never answered. */
  api: Partial<Record<keyof Api, jest.Mock>> = {
    playbooks: jest.fn().mockResolvedValue([]),
    activity: jest.fn().mockResolvedValue({ epoch: 0, nodes: [] })
  };

  become(connection: Connection): void {
    this.connection = connection;
    this.connectionChanged.emit(connection);
  }

  greet(state: State, runs: RunView[] = []): void {
    this.become('connected');
    this.runNews.emit({
      type: 'hello',
      version: '1.2.3',
      state,
      runs,
      trouble: null
    });
  }

  tell(run: RunView): void {
    this.runNews.emit({ type: 'run', run });
  }

  happens(news: News): void {
    this.runNews.emit({ type: 'event', run_id: 'r1', seq: 1, news });
  }

  asClient(): Client {
    return this as unknown as Client;
  }
}
