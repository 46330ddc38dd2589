import { URLExt } from '@jupyterlab/coreutils';
import { ServerConnection } from '@jupyterlab/services';

import type {
  ActivityNode,
  Command,
  Event,
  RecordHead,
  RunRequest,
  RunView,
  State
} from '../protocol';

export const API = 'notebook-bcc/api';
/** No page of an answer is longer. */
const MOST = 1000;

/** A refusal of our server, with its own words. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly kind: string,
    message: string,
    readonly allowed: string[]
  ) {
    super(message);
  }
}

export interface IPlaybookVariable {
  description: string;
  default?: unknown;
  required?: boolean;
}

export interface IPlaybook {
  name: string;
  title: string;
  description: string;
  /** Whether the person's own goal decides what is done. */
  reads_goal: boolean;
  variables: Record<string, IPlaybookVariable>;
}

export interface ICall {
  number: number;
  kind: 'planning' | 'generating' | 'feedback';
  url: string;
  started_at: string;
  duration_ms: number;
  status: number | null;
  tries: number;
  request_bytes: number;
  answer_bytes: number;
  request: string;
  answer: string;
  error: string | null;
}

export interface ITransition {
  number: number;
  from: State;
  event: Event;
  to: State;
  timestamp: string;
}

/** What changed in a run's tree; another `epoch` means that the tree was begun anew. */
export interface IActivity {
  epoch: number;
  nodes: ActivityNode[];
}

export interface ITableRow {
  from: State;
  event: Event;
  to: State;
  owner: string;
}

export interface IStateTable {
  states: State[];
  transitions: ITableRow[];
}

export interface IPlannerCheck {
  ok: boolean;
  outcome:
    'answers' | 'silent' | 'unreachable' | 'no_planner' | 'refused' | 'error';
  message: string;
}

/** What the planner would be told now, as far as the sidebar shows it. */
export interface IObservation {
  context?: {
    variables?: Record<string, unknown>;
    toDoList?: unknown[];
    effects?: { current?: unknown[]; history?: unknown[] };
    section_progress?: {
      current_section_id?: string | null;
      completed_sections?: string[];
      all?: string[];
    };
    /** How many entries of a kind were too much for the planner's budget. */
    left_out?: Record<string, number> | null;
  };
}

export type NewRun = Pick<RunRequest, 'notebook' | 'planner'> &
  Partial<RunRequest>;
export type NewCommand = Pick<Command, 'command'> & Partial<Command>;

/** The REST calls of the server extension. */
export class Api {
  constructor(private readonly _settings: ServerConnection.ISettings) {}

  async startRun(request: NewRun): Promise<RunView> {
    return await this._call('runs', 'POST', request);
  }

  async run(runId: string): Promise<RunView> {
    return await this._call(`runs/${runId}`);
  }

  async command(runId: string, command: NewCommand): Promise<RunView> {
    return await this._call(`runs/${runId}/commands`, 'POST', command);
  }

  async transitions(
    runId: string,
    after = 0,
    limit = MOST
  ): Promise<ITransition[]> {
    const path = `runs/${runId}/transitions?${page(after, limit)}`;
    const answer: { transitions: ITransition[] } = await this._call(path);
    return answer.transitions;
  }

  async calls(runId: string, after = 0, limit = MOST): Promise<ICall[]> {
    const path = `runs/${runId}/calls?${page(after, limit)}`;
    const answer: { calls: ICall[] } = await this._call(path);
    return answer.calls;
  }

  /** Everything of a run's record but what is read in pages. */
  async record(runId: string): Promise<RecordHead> {
    return await this._call(`runs/${runId}/record`);
  }

  async observation(runId: string): Promise<IObservation> {
    const answer: { observation: IObservation } = await this._call(
      `runs/${runId}/observation`
    );
    return answer.observation;
  }

  async activity(runId: string, after = 0, limit = MOST): Promise<IActivity> {
    return await this._call(`runs/${runId}/activity?${page(after, limit)}`);
  }

  async states(): Promise<IStateTable> {
    return await this._call('states');
  }

  async checkPlanner(url: string): Promise<IPlannerCheck> {
    return await this._call('planner-checks', 'POST', { url });
  }

  /** Those of the server, and those beside the notebook. */
  async playbooks(language: string, notebook: string): Promise<IPlaybook[]> {
    const asked = Object.entries({ language, notebook })
      .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
      .join('&');
    const answer: { playbooks: IPlaybook[] } = await this._call(
      `playbooks?${asked}`
    );
    return answer.playbooks;
  }

  async changeSettings(values: Record<string, unknown>): Promise<void> {
    await this._call('settings', 'PATCH', values);
  }

  private async _call<T>(
    path: string,
    method = 'GET',
    body?: unknown
  ): Promise<T> {
    const url = URLExt.join(this._settings.baseUrl, API, path);
    const init: RequestInit = { method };
    if (body !== undefined) {
      init.body = JSON.stringify(body);
    }
    const response = await ServerConnection.makeRequest(
      url,
      init,
      this._settings
    );
    const text = await response.text();
    if (!response.ok) {
      throw refusal(response.status, text);
    }
    return JSON.parse(text) as T;
  }
}

function page(after: number, limit: number): string {
  return `after=${String(after)}&limit=${String(limit)}`;
}

function refusal(status: number, text: string): ApiError {
  try {
    const body = JSON.parse(text) as {
      error?: string;
      message?: string;
      allowed?: string[];
    };
    return new ApiError(
      status,
      body.error ?? '',
      body.message ?? text,
      body.allowed ?? []
    );
  } catch {
    return new ApiError(status, '', text, []);
  }
}
