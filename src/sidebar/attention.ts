import { Notification as Toast } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { Widget } from '@lumino/widgets';

import type { RunView } from '../protocol';
import type { Model } from '../runs/model';
import { pendingWords } from './plan-words';

const WAITING_CLASS = 'bcc-mod-waiting';
const MARK = '● ';

/**
 * A run that waits for the person is told wherever the person may look: a badge on the sidebar's
 * tab, a mark in the browser's title, a toast, and a system notification where it is allowed.
 */
export class Attention {
  constructor(
    private readonly _model: Model,
    private readonly _sidebar: Widget,
    private readonly _trans: TranslationBundle,
    private readonly _show: (runId: string) => void
  ) {
    _model.stateChanged.connect(this._update, this);
    // JupyterLab writes the title anew when tabs change; the mark must come back.
    const title = document.querySelector('title');
    if (title) {
      new MutationObserver(() => {
        this._markTitle();
      }).observe(title, { childList: true });
    }
  }

  private _update(): void {
    const waiting = this._model.waiting;
    const { title } = this._sidebar;
    const trans = this._trans;
    title.className = waiting.length > 0 ? WAITING_CLASS : '';
    title.caption =
      waiting.length > 0
        ? trans._n(
            'Notebook-BCC: %1 decision waits for you',
            'Notebook-BCC: %1 decisions wait for you',
            waiting.length
          )
        : trans.__('Notebook-BCC');
    this._markTitle();
    for (const run of waiting) {
      this._tell(run);
    }
    this._takeBack(new Set(waiting.map(run => run.pending?.id ?? '')));
  }

  private _markTitle(): void {
    const waits = this._model.waiting.length > 0;
    const marked = document.title.startsWith(MARK);
    if (waits !== marked) {
      document.title = waits
        ? MARK + document.title
        : document.title.slice(MARK.length);
    }
  }

  /** Once per question. */
  private _tell(run: RunView): void {
    const { pending } = run;
    if (pending === null || this._toasts.has(pending.id)) {
      return;
    }
    const message = pendingWords(pending.kind, this._trans);
    const toast = this._sidebar.isVisible
      ? null
      : Toast.warning(`${message}\n${run.notebook}`, {
          autoClose: false,
          actions: [
            {
              label: this._trans.__('Decide'),
              callback: () => {
                this._show(run.id);
              }
            }
          ]
        });
    this._toasts.set(pending.id, toast);
    const allowed =
      'Notification' in window && Notification.permission === 'granted';
    if (allowed && document.hidden) {
      const note = new Notification(this._trans.__('Waiting for you'), {
        body: `${message}\n${run.notebook}`,
        tag: pending.id
      });
      note.onclick = () => {
        window.focus();
        this._show(run.id);
      };
    }
  }

  /** What is answered, by whomever, need not be asked any more. */
  private _takeBack(open: ReadonlySet<string>): void {
    for (const [id, toast] of this._toasts) {
      if (!open.has(id)) {
        this._toasts.delete(id);
        if (toast !== null) {
          Toast.dismiss(toast);
        }
      }
    }
  }

  private readonly _toasts = new Map<string, string | null>();
}
