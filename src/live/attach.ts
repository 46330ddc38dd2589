import type { NotebookPanel } from '@jupyterlab/notebook';
import type { PanelLayout } from '@lumino/widgets';

import type { LoggedOp } from '../protocol';
import type { LiveNotebook } from './session';

/** No more at a time: the rest comes when the page has nothing else to do. */
const AT_ONCE = 10;

/**
 * Puts new cells into the page at once.
 *
 * JupyterLab attaches the cells of a notebook from the top, in idle time: in a large one that was
 * just opened, a new cell at the end would wait for all the others.
 */
export function attachNewCells(
  panel: NotebookPanel,
  session: LiveNotebook
): void {
  const { content } = panel;
  const attach = (id: string): void => {
    const index = content.widgets.findIndex(({ model }) => model.id === id);
    const cell = content.widgets[index];
    if (cell?.isPlaceholder()) {
      cell.dataset.windowedListIndex = String(index);
      (content.layout as PanelLayout).insertWidget(index, cell);
    }
  };
  session.mirrored.connect((_, ops: readonly LoggedOp[]) => {
    // With full windowing only what is in view is in the page at all.
    if (content.notebookConfig.windowingMode !== 'full' && panel.isVisible) {
      ops
        .map(({ op }) => (op.op === 'insert' ? String(op.cell.id) : null))
        .filter(id => id !== null)
        .slice(-AT_ONCE)
        .forEach(attach);
    }
  });
}
