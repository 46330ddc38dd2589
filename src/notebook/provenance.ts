import type { Cell } from '@jupyterlab/cells';

/** The one metadata key of ours, on cells (provenance) and on notebooks (log position). */
export const METADATA_KEY = 'notebook_bcc';

/** Where in a run a cell comes from: its metadata, as far as it says. */
export interface ICellPlace {
  run: string;
  stage: string;
  step?: string;
  iteration?: number;
  action?: string;
}

type Mark = Record<string, unknown>;

/** What the server wrote about the cell; null for a cell of somebody else. */
export function markOf(cell: Cell | null | undefined): Mark | null {
  const mark: unknown = cell?.model.getMetadata(METADATA_KEY);
  return typeof mark === 'object' && mark !== null ? (mark as Mark) : null;
}

export function placeOf(cell: Cell | null | undefined): ICellPlace | null {
  const { run, stage, step, iteration, action } = markOf(cell) ?? {};
  if (typeof run !== 'string' || typeof stage !== 'string') {
    return null;
  }
  return {
    run,
    stage,
    ...(typeof step === 'string' && { step }),
    ...(typeof iteration === 'number' && { iteration }),
    ...(typeof action === 'string' && { action })
  };
}

/** Where a run's part of the notebook begins, which is where a report has its answer. */
export function answerOf(
  run: string,
  cells: readonly Cell[]
): Cell | undefined {
  return cells.find(
    cell =>
      cell.model.type === 'markdown' &&
      markOf(cell)?.run === run &&
      /^#{1,6}\s/.test(cell.model.sharedModel.source)
  );
}
