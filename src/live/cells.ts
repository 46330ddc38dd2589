import type { ICellModel, ICodeCellModel } from '@jupyterlab/cells';
import type { INotebookModel } from '@jupyterlab/notebook';
import { JSONExt } from '@lumino/coreutils';

import type { ChangeOutputs } from '../protocol';
import {
  changedOutputs,
  stdout,
  textOf,
  type ICell,
  type Metadata,
  type Output
} from './notebook-json';

export type SharedNotebook = INotebookModel['sharedModel'];
export type SharedCell = ReturnType<SharedNotebook['getCell']>;
export type OutputValue = Parameters<ICodeCellModel['outputs']['add']>[0];

export function isCode(cell: ICellModel): cell is ICodeCellModel {
  return cell.type === 'code';
}

/** A cell nobody has run has no outputs to distrust: JupyterLab trusts its own new cells too. */
export function newCell(cell: ICell): ICell {
  const trusted = cell.cell_type === 'code' && cell.outputs?.length === 0;
  return trusted
    ? { ...cell, metadata: { ...cell.metadata, trusted: true } }
    : cell;
}

export function insert(
  shared: SharedNotebook,
  index: number,
  cell: ICell
): SharedCell {
  const { outputs, execution_count, ...rest } = cell;
  const fresh =
    cell.cell_type === 'code'
      ? {
          ...rest,
          outputs: outputs ?? [],
          execution_count: execution_count ?? null
        }
      : rest;
  return shared.insertCell(index, JSONExt.deepCopy(fresh));
}

/** Only what differs in the middle, so that a cursor elsewhere in the cell stays put. */
export function setSource(cell: SharedCell, source: string): void {
  const old = cell.source;
  const most = Math.min(old.length, source.length);
  let start = 0;
  while (start < most && old[start] === source[start]) {
    start += 1;
  }
  let end = 0;
  while (
    end < most - start &&
    old[old.length - 1 - end] === source[source.length - 1 - end]
  ) {
    end += 1;
  }
  if (start !== old.length || old.length !== source.length) {
    cell.updateSource(
      start,
      old.length - end,
      source.slice(start, source.length - end)
    );
  }
}

export function setMetadata(
  cell: SharedCell | undefined,
  changes: Metadata
): void {
  for (const [key, value] of Object.entries(changes)) {
    if (value === null || value === undefined) {
      cell?.deleteMetadata(key);
    } else {
      cell?.setMetadata(key, value);
    }
  }
}

/** What is in the cell from now on comes from our own run. */
export function trust(model: INotebookModel, cell: ICodeCellModel): void {
  if (!cell.trusted) {
    model.sharedModel.transact(() => {
      cell.trusted = true;
    }, false);
  }
}

export function changeOutputs(cell: ICodeCellModel, op: ChangeOutputs): void {
  const { outputs } = cell;
  switch (op.change) {
    case 'clear':
      outputs.clear();
      return;
    case 'append':
      for (const output of op.outputs) {
        outputs.add(output as unknown as OutputValue);
      }
      return;
    case 'extend': {
      const last = outputs.length - 1;
      const stream =
        op.index >= 0 && op.index <= last
          ? (outputs.get(op.index).toJSON() as unknown as Output)
          : undefined;
      if (stream === undefined) {
        outputs.add(stdout(op.text));
        return;
      }
      if (stream.output_type === 'stream') {
        const more = { ...stream, text: op.text };
        if (op.index === last) {
          outputs.add(more);
        } else {
          const text = textOf(stream) + op.text;
          outputs.set(op.index, { ...more, text });
        }
        return;
      }
      break;
    }
    case 'replace':
      if (op.index >= 0 && op.index < outputs.length && op.outputs[0]) {
        outputs.set(op.index, op.outputs[0] as unknown as OutputValue);
        return;
      }
      break;
    case 'set':
      break;
  }
  const now = outputs.toJSON() as unknown as Output[];
  outputs.fromJSON(changedOutputs(now, op));
}
