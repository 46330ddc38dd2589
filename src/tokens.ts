import { Token } from '@lumino/coreutils';
import type { ISignal } from '@lumino/signaling';

import type { RunView, State } from './protocol';
import type { ISettings } from './settings';

/**
 * `connecting` is the first attempt; every later one is `reconnecting`.
 */
export type Connection = 'connecting' | 'connected' | 'reconnecting';

/**
 * What other extensions may know of Notebook-BCC.
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
  /** Whether the open notebook scrolls along with the run. */
  isFollowed(runId: string): boolean;
  follow(runId: string, wanted: boolean): void;
}

export const INotebookBcc = new Token<INotebookBcc>(
  'notebook-bcc-ext:INotebookBcc',
  'The state of Notebook-BCC as the sidebar shows it: connection, state machine, runs, settings.'
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
