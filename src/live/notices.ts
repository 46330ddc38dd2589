import { Notification as Toast } from '@jupyterlab/apputils';
import type { INotebookTracker } from '@jupyterlab/notebook';

import type { Client } from '../connection/client';
import type { ServerMessage } from '../connection/messages';
import type { INotebookBcc } from '../tokens';

const SHOWN_MS = 8_000;

/** What a run says about changes of others to its notebook is shown where that one is open. */
export function showNotices(
  client: Client,
  tracker: INotebookTracker,
  bcc: INotebookBcc
): void {
  client.messageReceived.connect((_: Client, message: ServerMessage) => {
    if (message.type !== 'event' || message.kind !== 'notice') {
      return;
    }
    const { about, text } = message.payload as Record<string, unknown>;
    const run = bcc.runs.find(({ id }) => id === message.run_id);
    const isOpen = tracker.find(
      ({ context }) => context.path === run?.notebook
    );
    if (about === 'notebook' && typeof text === 'string' && isOpen) {
      Toast.emit(text, 'info', { autoClose: SHOWN_MS });
    }
  });
}
