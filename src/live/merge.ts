import { JSONExt, type PartialJSONValue } from '@lumino/coreutils';

import { METADATA_KEY } from '../notebook/provenance';
import { type ICell, type INotebook, type Metadata } from './notebook-json';

export interface IMerged {
  notebook: INotebook;
  /** Cells whose text was changed on both sides, differently; `notebook` has ours. */
  conflicts: string[];
}

/**
 * Three-way merge by cell id. What only one side changed is taken from it.
 *
 * Nothing that somebody typed gets lost: a cell that one side deleted and the other rewrote
 * stays. Where both sides changed outputs or metadata, mine stand: they can be made again.
 */
export function mergeNotebooks(
  base: INotebook,
  mine: INotebook,
  theirs: INotebook
): IMerged {
  const conflicts: string[] = [];
  const [inBase, inMine, inTheirs] = [base, mine, theirs].map(byId) as [
    Map<string, ICell>,
    Map<string, ICell>,
    Map<string, ICell>
  ];
  const cells = new Map<string, ICell>();
  for (const id of new Set([...inMine.keys(), ...inTheirs.keys()])) {
    const [old, own, other] = [
      inBase.get(id),
      inMine.get(id),
      inTheirs.get(id)
    ];
    if (own !== undefined && other !== undefined) {
      if (isConflict(old, own, other)) {
        conflicts.push(id);
      }
      cells.set(id, mergeCells(old, own, other));
    } else {
      const left = own ?? other;
      if (left !== undefined && (old === undefined || rewritten(old, left))) {
        cells.set(id, left);
      }
    }
  }
  const notebook = {
    ...mine,
    nbformat_minor: Math.max(mine.nbformat_minor, theirs.nbformat_minor),
    metadata: mergeKeys(base.metadata, mine.metadata, theirs.metadata),
    cells: inOrder(base, mine, theirs)
      .map(id => cells.get(id))
      .filter(cell => cell !== undefined)
  };
  return { notebook, conflicts };
}

function byId(notebook: INotebook): Map<string, ICell> {
  return new Map(notebook.cells.map(cell => [cell.id, cell]));
}

function rewritten(old: ICell, now: ICell): boolean {
  return old.source !== now.source || old.cell_type !== now.cell_type;
}

function isConflict(old: ICell | undefined, own: ICell, other: ICell): boolean {
  return (
    own.source !== other.source &&
    own.source !== old?.source &&
    other.source !== old?.source
  );
}

function mergeCells(old: ICell | undefined, own: ICell, other: ICell): ICell {
  const text = pick(old?.source, own.source, other.source);
  const type = pick(old?.cell_type, own.cell_type, other.cell_type);
  const cell: ICell = {
    ...own,
    cell_type: type,
    source: text,
    metadata: mergeKeys(old?.metadata ?? {}, own.metadata, other.metadata)
  };
  if (other.attachments !== undefined) {
    cell.attachments = pick(
      old?.attachments,
      own.attachments,
      other.attachments
    );
  }
  if (type !== 'code') {
    return cell;
  }
  const results = (of: ICell | undefined): PartialJSONValue =>
    of === undefined ? null : [of.outputs ?? [], of.execution_count ?? null];
  const source = same(
    pick(results(old), results(own), results(other)),
    results(own)
  )
    ? own
    : other;
  cell.outputs = source.outputs ?? [];
  cell.execution_count = source.execution_count ?? null;
  // Whoever made the outputs knows whether they may be trusted.
  cell.metadata = { ...cell.metadata, trusted: source.metadata.trusted };
  return cell;
}

function pick<T extends PartialJSONValue | undefined>(
  old: T | undefined,
  own: T,
  other: T
): T {
  return same(own, old) ? other : own;
}

function same(
  one: PartialJSONValue | undefined,
  other: PartialJSONValue | undefined
): boolean {
  return one === undefined || other === undefined
    ? one === other
    : JSONExt.deepEqual(one, other);
}

function mergeKeys(old: Metadata, own: Metadata, other: Metadata): Metadata {
  const merged: Metadata = {};
  for (const key of new Set([...Object.keys(own), ...Object.keys(other)])) {
    const value =
      key === METADATA_KEY && other[key] === undefined
        ? own[key]
        : pick(old[key], own[key], other[key]);
    if (value !== undefined) {
      merged[key] = value;
    }
  }
  return merged;
}

/** Ids in an order that keeps each side's own moves; who moved nothing follows the other. */
function inOrder(
  base: INotebook,
  mine: INotebook,
  theirs: INotebook
): string[] {
  const known = base.cells.map(({ id }) => id);
  const own = mine.cells.map(({ id }) => id);
  const other = theirs.cells.map(({ id }) => id);
  const mineMoved = moved(known, own);
  const [leading, following] =
    !mineMoved && moved(known, other) ? [other, own] : [own, other];
  const order = [...leading];
  const placed = new Set(order);
  let before: string | null = null;
  for (const id of following) {
    if (!placed.has(id)) {
      placed.add(id);
      order.splice(before === null ? 0 : order.indexOf(before) + 1, 0, id);
    }
    before = id;
  }
  return order;
}

function moved(known: string[], now: string[]): boolean {
  const present = new Set(now);
  const wasHere = new Set(known);
  const before = known.filter(id => present.has(id));
  const after = now.filter(id => wasHere.has(id));
  return before.some((id, index) => id !== after[index]);
}
