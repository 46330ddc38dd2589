import type { ICellModel, ICodeCellModel } from '@jupyterlab/cells';
import type { INotebookModel } from '@jupyterlab/notebook';
import { JSONExt, type PartialJSONObject } from '@lumino/coreutils';
import { Signal, type ISignal } from '@lumino/signaling';

import { METADATA_KEY } from '../notebook/provenance';
import type {
  DeleteCell,
  LoggedOp,
  SetExecution,
  SetSource
} from '../protocol';
import {
  changeOutputs,
  insert,
  isCode,
  newCell,
  setMetadata,
  setSource,
  trust,
  type SharedCell,
  type SharedNotebook
} from './cells';
import { saysStill } from './fingerprint';
import {
  placeAfter,
  positionOf,
  WIDGETS_KEY,
  withWidgets,
  type ICell,
  type INotebook,
  type IPosition,
  type Metadata,
  type NotebookOp
} from './notebook-json';
import { patchModel } from './patch';

/**
 * Writes operations into the live model of an open notebook.
 *
 * The structure changes in one transaction that the undo stack does not see. Outputs and states
 * follow outside of it, through the cell models: only these keep page and shared model in step.
 */
export class Mirror {
  constructor(private readonly _model: INotebookModel) {
    for (const cell of _model.cells) {
      this._watch(cell);
    }
    _model.cells.changed.connect(this._onCells, this);
    _model.contentChanged.connect(this._onContent, this);
  }

  /** Emitted when somebody else than us has changed the notebook. */
  get edited(): ISignal<this, void> {
    return this._edited;
  }

  /** Emitted with the id of a run's code cell that the person has changed or deleted. */
  get cellEdited(): ISignal<this, string> {
    return this._cellEdited;
  }

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

  /** How far along which log the model says it is. */
  get position(): IPosition {
    return positionOf(this._model.sharedModel.getMetadata());
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
  setPosition({ logId, seq }: IPosition): void {
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
      patchModel(this._model, target);
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
    const outer = this._isWriting;
    this._isWriting = true;
    try {
      change();
    } finally {
      this._isWriting = outer;
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
        const cell = cells.get(op.cell_id);
        if (cell && isToChange(cell, op, keep)) {
          const index = ids.indexOf(op.cell_id);
          shared.deleteCell(index);
          ids.splice(index, 1);
          cells.delete(op.cell_id);
        }
        break;
      }
      case 'source': {
        const cell = cells.get(op.cell_id);
        if (cell && isToChange(cell, op, keep)) {
          setSource(cell, op.source);
        }
        break;
      }
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
      trust(this._model, cell);
      cell.executionCount = null;
      cell.executionState = 'running';
    } else {
      // The count goes last: the prompt would not show it otherwise.
      cell.executionState = 'idle';
      cell.executionCount = op.execution_count;
    }
  }

  // -- whose changes --------------------------------------------------------------------------

  private _onContent(): void {
    if (!this._isWriting) {
      this._edited.emit();
    }
  }

  private _onCells(
    _: unknown,
    { type, newValues }: { type: string; newValues: ICellModel[] }
  ): void {
    if (type === 'remove') {
      this._onRemoved();
    } else {
      newValues.forEach(cell => {
        this._watch(cell);
      });
    }
  }

  private _watch(cell: ICellModel): void {
    if (isCode(cell) && cell.getMetadata(METADATA_KEY) !== undefined) {
      this._codeOfRuns.add(cell.id);
      cell.contentChanged.connect(this._onCell, this);
    }
  }

  private _onCell(cell: ICellModel): void {
    if (!this._isWriting) {
      this._cellEdited.emit(cell.id);
    }
  }

  private _onRemoved(): void {
    const left = new Set(this._model.sharedModel.cells.map(({ id }) => id));
    for (const id of this._codeOfRuns) {
      if (!left.has(id)) {
        this._codeOfRuns.delete(id);
        if (!this._isWriting) {
          this._cellEdited.emit(id);
        }
      }
    }
  }

  /** Set while something of ours is being written. */
  private _isWriting = false;
  private readonly _codeOfRuns = new Set<string>();
  private readonly _edited = new Signal<this, void>(this);
  private readonly _cellEdited = new Signal<this, string>(this);
}

/** What a person has put into a cell is neither replaced nor deleted. */
function isToChange(
  cell: SharedCell,
  op: SetSource | DeleteCell,
  keep: ReadonlySet<string>
): boolean {
  return (
    !keep.has(cell.id) && saysStill(cell.cell_type, cell.source, op.if_written)
  );
}
