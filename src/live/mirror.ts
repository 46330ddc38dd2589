import type { ICellModel, ICodeCellModel } from '@jupyterlab/cells';
import type { INotebookModel } from '@jupyterlab/notebook';
import { JSONExt, type PartialJSONObject } from '@lumino/coreutils';

import { METADATA_KEY } from '../notebook/provenance';
import type { LoggedOp, SetExecution } from '../protocol';
import {
  changeOutputs,
  insert,
  isCode,
  newCell,
  patchMetadata,
  setMetadata,
  setSource,
  type SharedCell,
  type SharedNotebook
} from './cells';
import {
  inPlace,
  placeAfter,
  WIDGETS_KEY,
  withWidgets,
  type ICell,
  type INotebook,
  type Metadata,
  type NotebookOp
} from './notebook-json';

/**
 * Writes operations into the live model of an open notebook.
 *
 * The structure changes in one transaction that the undo stack does not see. Outputs and states
 * follow outside of it, through the cell models: only these keep page and shared model in step.
 */
export class Mirror {
  constructor(private readonly _model: INotebookModel) {}

  /** Set while something of ours is being written. */
  writing = false;

  get isDirty(): boolean {
    return this._model.dirty;
  }

  toJSON(): INotebook {
    return this._model.sharedModel.toJSON() as unknown as INotebook;
  }

  /** The same, without JupyterLab's own cell where the file has others. */
  toJSONBeside(file: INotebook): INotebook {
    const mine = this.toJSON();
    const own = this._ownCell();
    const goes =
      file.cells.length > 0 && !file.cells.some(({ id }) => id === own);
    return goes
      ? { ...mine, cells: mine.cells.filter(({ id }) => id !== own) }
      : mine;
  }

  get metadata(): Metadata {
    return this._model.sharedModel.getMetadata();
  }

  sourceOf(cellId: string): string | undefined {
    return this._model.sharedModel.cells.find(cell => cell.id === cellId)
      ?.source;
  }

  /**
   * Apply operations of a log, and note with them how far the model is along it.
   *
   * `keep` names cells whose text the person has changed meanwhile.
   */
  apply(
    ops: readonly LoggedOp[],
    keep: ReadonlySet<string>,
    logId: string
  ): void {
    const all = ops.map(({ op }) => op);
    const shared = this._model.sharedModel;
    // Who begins at the very top has found a file without cells.
    const begins = all.some(op => op.op === 'insert' && op.after_id === null);
    const goes = begins ? this._ownCell() : null;
    this._quietly(() => {
      shared.transact(() => {
        this._changeStructure(all, keep);
        shared.setMetadata(METADATA_KEY, {
          log_id: logId,
          applied_seq: ops.at(-1)?.seq ?? 0
        });
      }, false);
      this._changeResults(all);
      if (goes !== null) {
        shared.transact(() => {
          shared.deleteCell(shared.cells.findIndex(({ id }) => id === goes));
        }, false);
      }
    });
  }

  /** Note how far along the log the model is. It goes to disk with the content. */
  setPosition(logId: string, seq: number): void {
    const shared = this._model.sharedModel;
    const position = { log_id: logId, applied_seq: seq };
    if (JSONExt.deepEqual(shared.getMetadata(METADATA_KEY) ?? null, position)) {
      return;
    }
    this._quietly(() => {
      shared.transact(() => {
        shared.setMetadata(METADATA_KEY, position);
      }, false);
    });
  }

  /** Bring the model to `target`, touching only what differs. */
  patch(target: INotebook): void {
    this._quietly(() => {
      const wanted = new Map(target.cells.map(cell => [cell.id, cell]));
      this._patchStructure(target, wanted);
      for (const cell of this._model.cells) {
        const want = wanted.get(cell.id);
        if (want !== undefined && isCode(cell) && want.cell_type === 'code') {
          this._patchResults(cell, want);
        }
      }
    });
  }

  /** Ids need nbformat 4.5; an older notebook would lose them when it is saved. */
  ensureIds(): void {
    const shared = this._model.sharedModel;
    if (shared.nbformat === 4 && shared.nbformat_minor < 5) {
      this._quietly(() => {
        (shared as unknown as { nbformat_minor: number }).nbformat_minor = 5;
      });
    }
  }

  /**
   * The cell that JupyterLab shows in a notebook that has none: it belongs to nobody, and goes
   * when there are others. Null once somebody wrote into it.
   */
  private _ownCell(): string | null {
    const [only, ...others] = this._model.sharedModel.cells;
    const isRuns = only?.getMetadata(METADATA_KEY) !== undefined;
    return only?.source === '' && others.length === 0 && !isRuns
      ? only.id
      : null;
  }

  /** The model is as clean afterwards as it was before: the server has our changes already. */
  private _quietly(change: () => void): void {
    const { dirty } = this._model;
    const outer = this.writing;
    this.writing = true;
    try {
      change();
    } finally {
      this.writing = outer;
      if (!dirty) {
        this._model.dirty = false;
      }
    }
  }

  // -- structure ------------------------------------------------------------------------------

  private _changeStructure(
    ops: readonly NotebookOp[],
    keep: ReadonlySet<string>
  ): void {
    const structural = ops.filter(
      ({ op }) => op !== 'outputs' && op !== 'execution'
    );
    if (structural.length === 0) {
      return;
    }
    const shared = this._model.sharedModel;
    const cells = new Map(shared.cells.map(cell => [cell.id, cell]));
    // Inside of a transaction the shared model's own list is that of before.
    const ids = [...cells.keys()];
    for (const op of structural) {
      this._changeCells(op, shared, ids, cells, keep);
    }
  }

  private _changeCells(
    op: NotebookOp,
    shared: SharedNotebook,
    ids: string[],
    cells: Map<string, SharedCell>,
    keep: ReadonlySet<string>
  ): void {
    switch (op.op) {
      case 'insert': {
        const cell = newCell(op.cell as unknown as ICell);
        if (!cells.has(cell.id)) {
          const index = placeAfter(ids, op.after_id);
          cells.set(cell.id, insert(shared, index, cell));
          ids.splice(index, 0, cell.id);
        }
        break;
      }
      case 'delete': {
        const index = ids.indexOf(op.cell_id);
        if (index >= 0 && !keep.has(op.cell_id)) {
          shared.deleteCell(index);
          ids.splice(index, 1);
          cells.delete(op.cell_id);
        }
        break;
      }
      case 'source':
        if (!keep.has(op.cell_id)) {
          const cell = cells.get(op.cell_id);
          if (cell !== undefined) {
            setSource(cell, op.source);
          }
        }
        break;
      case 'metadata':
        setMetadata(cells.get(op.cell_id), op.metadata as Metadata);
        break;
      case 'notebook_metadata':
        for (const [key, value] of Object.entries(op.metadata)) {
          if (value === null) {
            shared.deleteMetadata(key);
          } else {
            shared.setMetadata(key, value as PartialJSONObject);
          }
        }
        break;
      case 'widgets': {
        const widgets = withWidgets(shared.getMetadata(WIDGETS_KEY), op);
        if (widgets !== undefined) {
          shared.setMetadata(WIDGETS_KEY, widgets);
        }
        break;
      }
      case 'execution':
      case 'outputs':
        break;
    }
  }

  // -- results --------------------------------------------------------------------------------

  private _changeResults(ops: readonly NotebookOp[]): void {
    const results = ops.filter(
      op => op.op === 'outputs' || op.op === 'execution'
    );
    if (results.length === 0) {
      return;
    }
    const cells = new Map<string, ICellModel>();
    for (const cell of this._model.cells) {
      cells.set(cell.id, cell);
    }
    for (const op of results) {
      const cell = cells.get(op.cell_id);
      if (cell === undefined || !isCode(cell)) {
        continue; // The person deleted it, or made a text cell of it.
      }
      if (op.op === 'execution') {
        this._changeExecution(cell, op);
      } else {
        changeOutputs(cell, op);
      }
    }
  }

  private _changeExecution(cell: ICodeCellModel, op: SetExecution): void {
    if (op.state === 'running') {
      cell.outputs.clear();
      this._trust(cell);
      cell.executionCount = null;
      cell.executionState = 'running';
    } else {
      // The count goes last: the prompt would not show it otherwise.
      cell.executionState = 'idle';
      cell.executionCount = op.execution_count;
    }
  }

  private _trust(cell: ICodeCellModel): void {
    if (!cell.trusted) {
      this._model.sharedModel.transact(() => {
        cell.trusted = true;
      }, false);
    }
  }

  // -- patching -------------------------------------------------------------------------------

  private _patchStructure(target: INotebook, wanted: Map<string, ICell>): void {
    const shared = this._model.sharedModel;
    const before = shared.cells.filter(
      cell => wanted.get(cell.id)?.cell_type === cell.cell_type
    );
    const staying = inPlace(
      before.map(({ id }) => id),
      target.cells.map(({ id }) => id)
    );
    shared.transact(() => {
      // A deleted cell knows nothing any more: what moves is made anew from the target.
      for (let index = shared.cells.length - 1; index >= 0; index--) {
        if (!staying.has(shared.cells[index]?.id ?? '')) {
          shared.deleteCell(index);
        }
      }
      target.cells.forEach((want, index) => {
        if (!staying.has(want.id)) {
          insert(shared, index, { ...want, outputs: [] });
        }
      });
      shared.metadata = target.metadata;
    }, false);
    const placed = new Map(shared.cells.map(cell => [cell.id, cell]));
    shared.transact(() => {
      for (const want of target.cells) {
        const cell = placed.get(want.id);
        if (cell !== undefined) {
          if (cell.source !== want.source) {
            setSource(cell, want.source);
          }
          patchMetadata(cell, want.metadata);
        }
      }
    }, false);
  }

  private _patchResults(cell: ICodeCellModel, want: ICell): void {
    const outputs = want.outputs ?? [];
    if (!JSONExt.deepEqual(cell.outputs.toJSON(), outputs)) {
      cell.outputs.clear();
      if (want.metadata.trusted === true) {
        this._trust(cell);
      }
      cell.outputs.fromJSON(outputs);
    }
    if (cell.executionCount !== (want.execution_count ?? null)) {
      cell.executionCount = want.execution_count ?? null;
    }
  }
}
