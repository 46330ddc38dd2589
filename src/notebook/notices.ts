import { Notification as Toast } from '@jupyterlab/apputils';
import type { INotebookTracker } from '@jupyterlab/notebook';

import type { Model } from '../runs/model';

const SHOWN_MS = 8_000;

/** What a run says about changes of others to its notebook is shown where that one is open. */
export function showNotices(model: Model, tracker: INotebookTracker): void {
  model.happened.connect((_, { runId, notebookNotice }) => {
    const run = model.runs.find(({ id }) => id === runId);
    const isOpen = tracker.find(
      ({ context }) => context.path === run?.notebook
    );
    if (notebookNotice !== null && isOpen) {
      Toast.emit(notebookNotice, 'info', { autoClose: SHOWN_MS });
    }
  });
}
