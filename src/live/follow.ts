import type { Cell } from '@jupyterlab/cells';
import { CodeMirrorEditor } from '@jupyterlab/codemirror';
import type { NotebookPanel } from '@jupyterlab/notebook';

import type { LoggedOp } from '../protocol';
import type { INotebookBcc } from '../tokens';
import type { LiveNotebook } from './session';

const SETTLING_MS = [30, 100, 400, 1500];
/** How much of the view shows what came before. */
const SHARE_ABOVE = 0.25;
const REST_PER_WORK = 20;
const LONGEST_REST_MS = 8_000;
const HANDS_ON = ['wheel', 'pointerdown', 'keydown', 'touchstart'] as const;

/**
 * Scrolls along with a run, until its user scrolls, clicks or types in the notebook, or chooses
 * a cell of it elsewhere.
 *
 * It begins again with the next run: whoever works in the notebook is not to be moved.
 */
export class Follower {
  constructor(
    private readonly _panel: NotebookPanel,
    session: LiveNotebook,
    private readonly _bcc: INotebookBcc
  ) {
    for (const kind of HANDS_ON) {
      _panel.content.node.addEventListener(
        kind,
        () => {
          this._stoppedIn = this._runId();
        },
        { capture: true, passive: true }
      );
    }
    _panel.node.addEventListener(
      'scroll',
      event => {
        this._keepFromEditors(event);
      },
      { capture: true, passive: true }
    );
    this._activeCell = _panel.content.activeCell;
    _panel.content.activeCellChanged.connect(() => {
      this._onActiveCell();
    });
    session.mirrored.connect((_, ops) => {
      this._onMirrored(ops);
    });
  }

  /**
   * Another cell was chosen from outside the notebook: a node of the plan, a table of contents.
   *
   * A first cell, or the next one where the active cell was deleted, is nobody's choice.
   */
  private _onActiveCell(): void {
    const { activeCell, widgets } = this._panel.content;
    const before = this._activeCell;
    this._activeCell = activeCell;
    if (before && widgets.includes(before)) {
      this._stoppedIn = this._runId();
    }
  }

  private _runId(): string | null {
    const { path } = this._panel.context;
    const run = this._bcc.runs.find(({ notebook }) => notebook === path);
    return run?.id ?? null;
  }

  /** The run that is followed now. */
  private _followed(): string | null {
    const run = this._bcc.settings.follow ? this._runId() : null;
    return run === this._stoppedIn ? null : run;
  }

  private _onMirrored(ops: readonly LoggedOp[]): void {
    const run = this._followed();
    if (run === null || !this._panel.isVisible) {
      return;
    }
    const id = ops
      .map(({ op }) => {
        if (op.op === 'insert') {
          return String(op.cell.id);
        }
        return op.op === 'execution' ? op.cell_id : null;
      })
      .filter(cellId => cellId !== null)
      .at(-1);
    if (id !== undefined) {
      void this._scrollTo(id, run);
    }
  }

  /** More than once: cells above grow while they are drawn, and push this one out of sight. */
  private async _scrollTo(id: string, run: string): Promise<void> {
    this._target = id;
    for (const pause of SETTLING_MS) {
      const rest = this._restUntil - performance.now();
      await new Promise(resolve => setTimeout(resolve, Math.max(pause, rest)));
      const { content } = this._panel;
      if (
        this._target !== id ||
        this._stoppedIn === run ||
        content.isDisposed
      ) {
        return;
      }
      const cell = content.widgets.find(({ model }) => model.id === id);
      if (cell?.isAttached) {
        if (bringIntoView(cell.node, content.outerNode)) {
          await this._restFromScrolling();
        }
      } else if (cell && pause !== SETTLING_MS[0]) {
        // Not drawn, and it will not be before the page is there.
        const index = content.widgets.indexOf(cell);
        await content.scrollToItem(index, 'smart').catch(() => undefined);
        await this._restFromScrolling();
      }
    }
  }

  /**
   * Every editor of the notebook listens to its scrolling, to tell the input method where it is:
   * half a second's work for a thousand of them, in which no new cell is drawn. While a run is
   * followed nobody types, and only those in view have something to draw.
   */
  private _keepFromEditors(event: Event): void {
    const { outerNode, notebookConfig } = this._panel.content;
    // JupyterLab listens too where it draws only the cells in view.
    const isWindowed = notebookConfig.windowingMode === 'full';
    if (event.target === outerNode && !isWindowed && this._followed()) {
      event.stopPropagation();
      drawEditorsInView(this._panel.content.widgets, outerNode);
    }
  }

  /** Scrolling, where it is slow, is to take a small share of the time. */
  private async _restFromScrolling(): Promise<void> {
    const begun = performance.now();
    await new Promise(resolve => {
      requestAnimationFrame(() => setTimeout(resolve, 0));
    });
    const now = performance.now();
    const rest = REST_PER_WORK * (now - begun);
    this._restUntil = now + Math.min(rest, LONGEST_REST_MS);
  }

  private _activeCell: Cell | null;
  private _restUntil = 0;
  private _stoppedIn: string | null = null;
  private _target: string | null = null;
}

/** Scroll when the cell is out of sight, and then leave room for those that follow. */
function bringIntoView(node: HTMLElement, scroller: HTMLElement): boolean {
  const room = scroller.getBoundingClientRect();
  const { top, bottom } = node.getBoundingClientRect();
  const wanted = room.top + room.height * SHARE_ABOVE;
  if (top >= room.top && (bottom <= room.bottom || top <= wanted)) {
    return false;
  }
  scroller.scrollTop += top - wanted;
  return true;
}

/** An editor draws the lines in view alone, and learns where it is only from the scrolling. */
function drawEditorsInView(
  cells: readonly Cell[],
  scroller: HTMLElement
): void {
  const room = scroller.getBoundingClientRect();
  for (const { editor, node, isAttached } of cells) {
    if (isAttached && editor instanceof CodeMirrorEditor) {
      const { top, bottom } = node.getBoundingClientRect();
      if (bottom > room.top && top < room.bottom) {
        editor.editor.requestMeasure();
      }
    }
  }
}
