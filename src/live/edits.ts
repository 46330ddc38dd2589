import type { ICellModel } from '@jupyterlab/cells';
import type { INotebookModel } from '@jupyterlab/notebook';

import { METADATA_KEY } from '../notebook/provenance';

/** As many ids as the server takes in one message. */
const AT_ONCE = 200;

/**
 * Which code cells of a run the person has changed or deleted here.
 *
 * The server hears of each once, and asks for it when the run is about to execute it: what is run
 * is then what the person sees, saved or not.
 */
export class UnsavedEdits {
  constructor(
    private readonly _model: INotebookModel,
    private readonly _isWriting: () => boolean,
    private readonly _tell: (cellIds: string[]) => void
  ) {
    for (const cell of _model.cells) {
      this._watch(cell);
    }
    _model.cells.changed.connect((_, { type, newValues }) => {
      if (type === 'remove') {
        this._onRemoved();
      } else {
        newValues.forEach(cell => {
          this._watch(cell);
        });
      }
    });
  }

  /** A new connection to the server knows nothing of them. */
  tellAgain(): void {
    this._told.forEach(id => this._untold.add(id));
    this._tellSoon();
  }

  /** The server asks for this one; it wants to hear of what is changed from now on. */
  asked(cellId: string): void {
    this._told.delete(cellId);
  }

  dispose(): void {
    window.clearTimeout(this._timer);
  }

  private _watch(cell: ICellModel): void {
    if (cell.type === 'code' && cell.getMetadata(METADATA_KEY) !== undefined) {
      this._ours.add(cell.id);
      cell.contentChanged.connect(this._onContent, this);
    }
  }

  private _onContent(cell: ICellModel): void {
    if (!this._isWriting()) {
      this._note(cell.id);
    }
  }

  private _onRemoved(): void {
    const left = new Set(this._model.sharedModel.cells.map(({ id }) => id));
    for (const id of this._ours) {
      if (!left.has(id)) {
        this._ours.delete(id);
        if (!this._isWriting()) {
          this._note(id);
        }
      }
    }
  }

  private _note(cellId: string): void {
    if (!this._told.has(cellId)) {
      this._told.add(cellId);
      this._untold.add(cellId);
      this._tellSoon();
    }
  }

  /** All that one change touches goes in one message. */
  private _tellSoon(): void {
    this._timer ??= window.setTimeout(() => {
      this._timer = undefined;
      const ids = [...this._untold];
      this._untold.clear();
      for (let start = 0; start < ids.length; start += AT_ONCE) {
        this._tell(ids.slice(start, start + AT_ONCE));
      }
    }, 0);
  }

  private readonly _ours = new Set<string>();
  private readonly _told = new Set<string>();
  private readonly _untold = new Set<string>();
  private _timer: number | undefined;
}
