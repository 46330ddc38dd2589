import type { NotebookPanel } from '@jupyterlab/notebook';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { PanelLayout } from '@lumino/widgets';

import { METADATA_KEY, placeOf } from '../notebook/provenance';
import type { LoggedOp } from '../protocol';
import type { INotebookBcc } from '../tokens';
import type { NotebookLog } from './log';

const WRITTEN = 'bcc-mod-written';
const ACTIVE = 'bcc-mod-active';
const MARK = 'bcc-CellMark';
/** No more new cells at a time: the rest comes when the page has nothing else to do. */
const AT_ONCE = 10;

type CellWidget = NotebookPanel['content']['widgets'][number];

/**
 * The cells of runs in the page: new ones are put there at once, all are marked, and the one that
 * the run is at most clearly.
 *
 * A mark is a narrow strip beside the cell; it says stage and step when it is pointed at.
 */
export class CellsInPage {
  constructor(
    private readonly _panel: NotebookPanel,
    log: NotebookLog,
    private readonly _bcc: INotebookBcc,
    private readonly _trans: TranslationBundle
  ) {
    _panel.content.model?.cells.changed.connect(() => {
      this._markSoon();
    });
    log.mirrored.connect((_, ops) => {
      this._onMirrored(ops);
    });
    this._markSoon();
  }

  private _onMirrored(ops: readonly LoggedOp[]): void {
    const inserted: string[] = [];
    for (const { op } of ops) {
      if (op.op === 'insert') {
        this._activeId = String(op.cell.id);
        inserted.push(this._activeId);
      } else if (op.op === 'execution') {
        this._activeId = op.state === 'running' ? op.cell_id : null;
      } else if (op.op === 'source') {
        this._activeId = op.cell_id;
      }
    }
    this._attach(new Set(inserted.slice(-AT_ONCE)));
    this._markSoon();
  }

  /**
   * JupyterLab attaches the cells of a notebook from the top, in idle time: in a large one that
   * was just opened, a new cell at the end would wait for all the others.
   */
  private _attach(ids: ReadonlySet<string>): void {
    const { content, isVisible } = this._panel;
    // With full windowing only what is in view is in the page at all.
    if (content.notebookConfig.windowingMode === 'full' || !isVisible) {
      return;
    }
    let missing = ids.size;
    // From the end, because that is where runs write.
    for (let at = content.widgets.length - 1; at >= 0 && missing > 0; at--) {
      const cell = content.widgets[at];
      if (cell && ids.has(cell.model.id)) {
        missing -= 1;
        if (cell.isPlaceholder()) {
          cell.dataset.windowedListIndex = String(at);
          (content.layout as PanelLayout).insertWidget(at, cell);
        }
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
    if (cell.model.getMetadata(METADATA_KEY) !== undefined) {
      cell.addClass(WRITTEN);
      const mark = document.createElement('div');
      mark.className = MARK;
      // The plan may be revised: it is looked at when somebody points.
      mark.addEventListener('pointerenter', () => {
        mark.title = this._wordsFor(cell);
      });
      cell.node.appendChild(mark);
    }
  }

  private _wordsFor(cell: CellWidget): string {
    const place = placeOf(cell);
    const run = this._bcc.runs.find(({ id }) => id === place?.run);
    const stage = run?.progress.stages.find(({ id }) => id === place?.stage);
    const step = stage?.steps.find(({ id }) => id === place?.step);
    const where = [stage?.name, step?.name].filter(Boolean).join(' › ');
    return where
      ? this._trans.__('Written by a run: %1', where)
      : this._trans.__('Written by an earlier run');
  }

  private readonly _seen = new WeakSet<CellWidget>();
  private _activeId: string | null = null;
  private _timer: number | undefined;
}
