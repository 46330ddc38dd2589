import { Token } from '@lumino/coreutils';
import type { ISignal } from '@lumino/signaling';

import type { NewCommand, NewRun } from './connection/api';
import type { RunView, State } from './protocol';
import type { ISettings } from './settings';

/**
 * `connecting` is the first attempt; every later one is `reconnecting`.
 */
export type Connection = 'connecting' | 'connected' | 'reconnecting';

/**
 * Notebook-BCC as other extensions may use it; its own commands and sidebar use the same.
 *
 * Runs belong to the server: what is read here is what the server told last, and both verbs are
 * answered by the server's view of the run. A refusal is thrown with the server's own words, an
 * `Error` with `status`, `kind` and, where it says so, the commands that are `allowed` now.
 */
export interface INotebookBcc {
  /** Emitted when any of the properties below has changed. */
  readonly stateChanged: ISignal<unknown, void>;
  readonly connection: Connection;
  /** The state of the machine; `null` until the server has told it once. */
  readonly state: State | null;
  /** The version of the server extension; empty until it is known. */
  readonly serverVersion: string;
  /** Newest first. */
  readonly runs: readonly RunView[];
  readonly settings: ISettings;
  /** Start a run in a notebook, and show it in the sidebar. */
  start(request: NewRun): Promise<RunView>;
  /** Give a command to a run, one of its `allowed_commands`; with a `key`, sending it twice is harmless. */
  command(runId: string, command: NewCommand): Promise<RunView>;
  /** Whether the open notebook scrolls along with the run. */
  isFollowed(runId: string): boolean;
  follow(runId: string, wanted: boolean): void;
}

export const INotebookBcc = new Token<INotebookBcc>(
  'notebook-bcc-ext:INotebookBcc',
  'Notebook-BCC: the runs of this server as the sidebar shows them, and the verbs to start one ' +
    'and to give it a command.'
);

/** The commands of JupyterLab that Notebook-BCC adds. */
export const CommandIDs = {
  open: 'notebook-bcc:open',
  start: 'notebook-bcc:start',
  review: 'notebook-bcc:review',
  confirm: 'notebook-bcc:confirm',
  reject: 'notebook-bcc:reject',
  pause: 'notebook-bcc:pause',
  resume: 'notebook-bcc:resume',
  step: 'notebook-bcc:step',
  cancel: 'notebook-bcc:cancel',
  follow: 'notebook-bcc:follow',
  toggleCode: 'notebook-bcc:toggle-code',
  debugCell: 'notebook-bcc:debug-cell'
} as const;
