import type { Cell } from '@jupyterlab/cells';
import type { NotebookPanel } from '@jupyterlab/notebook';

import { markOf } from './provenance';

function isCodeOfRun(cell: Cell): boolean {
  return cell.model.type === 'code' && markOf(cell) !== null;
}

/** Whether there is code that a run wrote. */
export function hasRunCode(panel: NotebookPanel): boolean {
  return panel.content.widgets.some(isCodeOfRun);
}

export function isRunCodeHidden(panel: NotebookPanel): boolean {
  return panel.content.widgets
    .filter(isCodeOfRun)
    .every(cell => cell.inputHidden);
}

/** Show or hide the code of every cell that a run wrote; the person's cells stay as they are. */
export function toggleRunCode(panel: NotebookPanel): void {
  const hidden = !isRunCodeHidden(panel);
  for (const cell of panel.content.widgets.filter(isCodeOfRun)) {
    cell.inputHidden = hidden;
  }
}
