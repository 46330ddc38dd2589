import type { NotebookPanel } from '@jupyterlab/notebook';
import type { TranslationBundle } from '@jupyterlab/translation';

import { placeOf, type ICellPlace } from '../notebook/provenance';
import type { LoggedOp } from '../protocol';
import type { INotebookBcc } from '../tokens';
import type { LiveNotebook } from './session';

const WRITTEN = 'bcc-mod-written';
const ACTIVE = 'bcc-mod-active';
const MARK = 'bcc-CellMark';

type CellWidget = NotebookPanel['content']['widgets'][number];

/**
 * Shows which cells a run wrote, and which one it is at.
 *
 * A mark is a narrow strip beside the cell; it says stage and step when it is pointed at.
 */
export class CellMarks {
  constructor(
    private readonly _panel: NotebookPanel,
    session: LiveNotebook,
    private readonly _bcc: INotebookBcc,
    private readonly _trans: TranslationBundle
  ) {
    _panel.content.model?.cells.changed.connect(() => {
      this._markSoon();
    });
    session.mirrored.connect((_, ops) => {
      this._note(ops);
      this._markSoon();
    });
    this._markSoon();
  }

  /** The cell that is being written or run. */
  get activeId(): string | null {
    return this._activeId;
  }

  private _note(ops: readonly LoggedOp[]): void {
    for (const { op } of ops) {
      if (op.op === 'insert') {
        this._activeId = String(op.cell.id);
      } else if (op.op === 'execution') {
        this._activeId = op.state === 'running' ? op.cell_id : null;
      } else if (op.op === 'source') {
        this._activeId = op.cell_id;
      }
    }
  }

  /** Cells are put into the page a little after they are put into the model. */
  private _markSoon(): void {
    this._timer ??= window.setTimeout(() => {
      this._timer = undefined;
      if (!this._panel.isDisposed) {
        for (const cell of this._panel.content.widgets) {
          this._mark(cell);
        }
      }
    }, 0);
  }

  private _mark(cell: CellWidget): void {
    const isActive = cell.model.id === this._activeId;
    if (isActive !== cell.hasClass(ACTIVE)) {
      cell.toggleClass(ACTIVE, isActive);
    }
    if (this._seen.has(cell)) {
      return; // Where a cell comes from does not change.
    }
    this._seen.add(cell);
    const place = placeOf(cell);
    if (place !== null) {
      cell.addClass(WRITTEN);
      const mark = document.createElement('div');
      mark.className = MARK;
      // The plan may be revised: it is looked at when somebody points.
      mark.addEventListener('pointerenter', () => {
        mark.title = this._wordsFor(place);
      });
      cell.node.appendChild(mark);
    }
  }

  private _wordsFor(place: ICellPlace): string {
    const run = this._bcc.runs.find(({ id }) => id === place.run);
    const stage = run?.progress.stages.find(({ id }) => id === place.stage);
    const step = stage?.steps.find(({ id }) => id === place.step);
    const where = [stage?.name, step?.name].filter(Boolean).join(' › ');
    return where
      ? this._trans.__('Written by a run: %1', where)
      : this._trans.__('Written by an earlier run');
  }

  private readonly _seen = new WeakSet<CellWidget>();
  private _activeId: string | null = null;
  private _timer: number | undefined;
}
