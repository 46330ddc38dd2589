import {
  JSONExt,
  type JSONObject,
  type PartialJSONObject,
  type PartialJSONValue
} from '@lumino/coreutils';

import { METADATA_KEY } from '../notebook/provenance';
import type {
  ChangeOutputs,
  LoggedOp,
  SetCellMetadata,
  SetExecution,
  SetSource,
  SetWidgets
} from '../protocol';
import { saysStill } from './fingerprint';

/** Where a notebook keeps the state of its widgets, and in which form. */
export const WIDGETS_KEY = 'widgets';
const WIDGET_STATE = 'application/vnd.jupyter.widget-state+json';

export type Metadata = Record<string, PartialJSONValue | undefined>;
export type Output = JSONObject & { output_type: string };

export interface ICell {
  id: string;
  cell_type: string;
  source: string;
  metadata: Metadata;
  outputs?: Output[];
  execution_count?: number | null;
  attachments?: PartialJSONValue;
}

export interface INotebook {
  cells: ICell[];
  metadata: Metadata;
  nbformat: number;
  nbformat_minor: number;
}

export type NotebookOp = LoggedOp['op'];
type CellOp = SetSource | SetCellMetadata | SetExecution | ChangeOutputs;

export interface IPosition {
  logId: string | null;
  seq: number;
}

/** How far along which log the notebook says it is. */
export function positionOf(metadata: Metadata): IPosition {
  const ours = metadata[METADATA_KEY];
  if (typeof ours !== 'object' || ours === null || Array.isArray(ours)) {
    return { logId: null, seq: 0 };
  }
  const { log_id: logId, applied_seq: seq } = ours;
  return typeof logId === 'string' && typeof seq === 'number'
    ? { logId, seq }
    : { logId: null, seq: 0 };
}

/** The place of a new cell: after `afterId`, first for null, last when that one is gone. */
export function placeAfter(ids: string[], afterId: string | null): number {
  if (afterId === null) {
    return 0;
  }
  const index = ids.lastIndexOf(afterId);
  return index < 0 ? ids.length : index + 1;
}

/** As many ids as can stay where they are when `before` is to become `after`. */
export function inPlace(before: string[], after: string[]): Set<string> {
  interface IChain {
    id: string;
    place: number;
    previous: IChain | undefined;
  }
  const places = new Map(after.map((id, index) => [id, index]));
  // Of all rising chains of n + 1 places, `chains[n]` is the one that ends lowest.
  const chains: IChain[] = [];
  for (const id of before) {
    const place = places.get(id);
    if (place !== undefined) {
      let [low, high] = [0, chains.length];
      while (low < high) {
        const middle = (low + high) >> 1;
        if ((chains[middle]?.place ?? 0) < place) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      chains[low] = { id, place, previous: chains[low - 1] };
    }
  }
  const staying = new Set<string>();
  for (let at = chains.at(-1); at !== undefined; at = at.previous) {
    staying.add(at.id);
  }
  return staying;
}

/**
 * Apply operations to a notebook in place, by the same rules as the server does.
 *
 * It is not the live model: this keeps the tab's base and what it has pulled at the same place
 * of the log, so that they can be compared.
 */
export function applyOperations(
  notebook: INotebook,
  ops: readonly NotebookOp[]
): void {
  const cells = new Map(notebook.cells.map(cell => [cell.id, cell]));
  for (const op of ops) {
    switch (op.op) {
      case 'insert': {
        const cell = JSONExt.deepCopy(
          op.cell as unknown as JSONObject
        ) as unknown as ICell;
        if (!cells.has(cell.id)) {
          const ids = notebook.cells.map(({ id }) => id);
          notebook.cells.splice(placeAfter(ids, op.after_id), 0, cell);
          cells.set(cell.id, cell);
        }
        break;
      }
      case 'delete': {
        const cell = cells.get(op.cell_id);
        if (cell && saysStill(cell.cell_type, cell.source, op.if_written)) {
          notebook.cells.splice(notebook.cells.indexOf(cell), 1);
          cells.delete(op.cell_id);
        }
        break;
      }
      case 'notebook_metadata':
        mergeMetadata(notebook.metadata, op.metadata as Metadata);
        break;
      case 'widgets': {
        const widgets = withWidgets(notebook.metadata[WIDGETS_KEY], op);
        if (widgets !== undefined) {
          notebook.metadata[WIDGETS_KEY] = widgets;
        }
        break;
      }
      case 'execution':
      case 'metadata':
      case 'outputs':
      case 'source': {
        const cell = cells.get(op.cell_id);
        if (cell !== undefined) {
          changeCell(cell, op);
        }
      }
    }
  }
}

function changeCell(cell: ICell, op: CellOp): void {
  switch (op.op) {
    case 'source':
      if (saysStill(cell.cell_type, cell.source, op.if_written)) {
        cell.source = op.source;
      }
      break;
    case 'metadata':
      mergeMetadata(cell.metadata, op.metadata as Metadata);
      break;
    case 'execution':
      if (cell.cell_type === 'code') {
        if (op.state === 'running') {
          cell.outputs = [];
          cell.metadata.trusted = true;
        }
        cell.execution_count = op.execution_count;
      }
      break;
    case 'outputs':
      if (cell.cell_type === 'code') {
        cell.outputs = changedOutputs(cell.outputs ?? [], op);
      }
      break;
  }
}

export function changedOutputs(
  outputs: readonly Output[],
  op: ChangeOutputs
): Output[] {
  const added = op.outputs as unknown as Output[];
  const there = op.index >= 0 && op.index < outputs.length;
  switch (op.change) {
    case 'clear':
      return [];
    case 'set':
      return [...added];
    case 'append':
      return [...outputs, ...added];
    case 'replace':
      return there
        ? [
            ...outputs.slice(0, op.index),
            ...added.slice(0, 1),
            ...outputs.slice(op.index + 1)
          ]
        : [...outputs, ...added.slice(0, 1)];
    case 'extend': {
      const stream = there ? outputs[op.index] : undefined;
      if (stream?.output_type !== 'stream') {
        return [...outputs, stdout(op.text)];
      }
      const text = textOf(stream) + op.text;
      return outputs.map(output =>
        output === stream ? { ...stream, text } : output
      );
    }
  }
}

export function stdout(text: string): Output {
  return { output_type: 'stream', name: 'stdout', text };
}

export function textOf(stream: Output): string {
  const { text } = stream;
  if (Array.isArray(text)) {
    return text.join('');
  }
  return typeof text === 'string' ? text : '';
}

/** A value of null removes its key. */
export function mergeMetadata(metadata: Metadata, changes: Metadata): void {
  for (const [key, value] of Object.entries(changes)) {
    if (value === null) {
      // eslint-disable-next-line @typescript-eslint/no-dynamic-delete -- the key is data
      delete metadata[key];
    } else {
      metadata[key] = value;
    }
  }
}

/**
 * The notebook's `widgets` with the models of the operation; what else is there stays. Undefined
 * where it has no known shape, and is left alone.
 */
export function withWidgets(
  kept: PartialJSONValue | undefined,
  op: SetWidgets
): Metadata | undefined {
  const widgets = kept ?? {};
  const entry = isObject(widgets) ? (widgets[WIDGET_STATE] ?? {}) : null;
  const state = isObject(entry) ? (entry.state ?? {}) : null;
  if (!isObject(widgets) || !isObject(entry) || !isObject(state)) {
    return undefined;
  }
  const merged = { ...state };
  mergeMetadata(merged, op.models as Metadata);
  const version = { version_major: 2, version_minor: 0 };
  return {
    ...widgets,
    [WIDGET_STATE]: { ...version, ...entry, state: merged }
  };
}

function isObject(value: PartialJSONValue | null): value is PartialJSONObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
