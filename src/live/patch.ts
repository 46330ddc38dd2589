import type { ICodeCellModel } from '@jupyterlab/cells';
import type { INotebookModel } from '@jupyterlab/notebook';
import { JSONExt } from '@lumino/coreutils';

import { insert, isCode, setSource, trust, type SharedCell } from './cells';
import {
  inPlace,
  type ICell,
  type INotebook,
  type Metadata
} from './notebook-json';

/** Bring an open notebook to `target`, touching only what differs. */
export function patchModel(model: INotebookModel, target: INotebook): void {
  const wanted = new Map(target.cells.map(cell => [cell.id, cell]));
  patchStructure(model, target, wanted);
  for (const cell of model.cells) {
    const want = wanted.get(cell.id);
    if (want !== undefined && isCode(cell) && want.cell_type === 'code') {
      patchResults(model, cell, want);
    }
  }
}

function patchStructure(
  { sharedModel: shared }: INotebookModel,
  target: INotebook,
  wanted: Map<string, ICell>
): void {
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

function patchMetadata(cell: SharedCell, metadata: Metadata): void {
  const now = cell.getMetadata() as Metadata;
  for (const key of Object.keys(now)) {
    if (key !== 'trusted' && metadata[key] === undefined) {
      cell.deleteMetadata(key);
    }
  }
  for (const [key, value] of Object.entries(metadata)) {
    const same = JSONExt.deepEqual(now[key] ?? null, value ?? null);
    if (key !== 'trusted' && value !== undefined && !same) {
      cell.setMetadata(key, value);
    }
  }
}

function patchResults(
  model: INotebookModel,
  cell: ICodeCellModel,
  want: ICell
): void {
  const outputs = want.outputs ?? [];
  if (!JSONExt.deepEqual(cell.outputs.toJSON(), outputs)) {
    cell.outputs.clear();
    if (want.metadata.trusted === true) {
      trust(model, cell);
    }
    cell.outputs.fromJSON(outputs);
  }
  if (cell.executionCount !== (want.execution_count ?? null)) {
    cell.executionCount = want.execution_count ?? null;
  }
}
