import type { Cell } from '@jupyterlab/cells';
import { CodeMirrorEditor } from '@jupyterlab/codemirror';
import type { NotebookPanel } from '@jupyterlab/notebook';

import { answerOf } from '../notebook/provenance';
import type { LoggedOp, RunView } from '../protocol';
import type { INotebookBcc } from '../tokens';
import type { NotebookLog } from './log';

const SETTLING_MS = [30, 100, 400, 1500];
/** While cells are still missing in the page, the last pause is taken up to that often more. */
const MORE_PAUSES = 40;
/** How much of the view shows what came before. */
const SHARE_ABOVE = 0.25;
const REST_PER_WORK = 20;
const LONGEST_REST_MS = 8_000;
const HANDS_ON = ['wheel', 'pointerdown', 'keydown', 'touchstart'] as const;

interface ITarget {
  id: string;
  /** A cell that others will follow leaves room for them. */
  at: 'top' | 'end';
}

/** Ids of this notebook's run, as the runs were when something about them changed last. */
interface IKnown {
  followed: string | null;
  underWay: string | null;
}

/**
 * Scrolls along with a run, until its user scrolls, clicks or types in the notebook, or chooses
 * a cell of it elsewhere: whoever works in the notebook is not to be moved.
 *
 * It begins again when the user says so, and with the next run. At the end it goes to where the
 * run's part begins, which is where a report has its answer.
 */
export class Follower {
  constructor(
    private readonly _panel: NotebookPanel,
    log: NotebookLog,
    private readonly _bcc: INotebookBcc
  ) {
    for (const kind of HANDS_ON) {
      _panel.content.node.addEventListener(
        kind,
        () => {
          this._stop();
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
    this._known = this._look();
    _panel.content.activeCellChanged.connect(() => {
      this._onActiveCell();
    });
    log.mirrored.connect((_, ops) => {
      this._onMirrored(ops);
    });
    _bcc.stateChanged.connect(this._onState, this);
    _panel.context.pathChanged.connect(this._onState, this);
    _panel.disposed.connect(() => {
      _bcc.stateChanged.disconnect(this._onState, this);
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
    // The active cell has another number, too, when cells come in above it.
    if (before && before !== activeCell && widgets.includes(before)) {
      this._stop();
    }
  }

  private _run(): RunView | undefined {
    const { path } = this._panel.context;
    return this._bcc.runs.find(({ notebook }) => notebook === path);
  }

  private _stop(): void {
    const run = this._run();
    if (run && isUnderWay(run)) {
      this._bcc.follow(run.id, false);
    }
  }

  private _look(): IKnown {
    const run = this._run();
    return {
      followed: run && this._bcc.isFollowed(run.id) ? run.id : null,
      underWay: run && isUnderWay(run) ? run.id : null
    };
  }

  /** The person takes up following again, or the run comes to its end. */
  private _onState(): void {
    const run = this._run();
    const before = this._known;
    this._known = this._look();
    const { followed } = this._known;
    if (followed === null || !this._panel.isVisible) {
      return;
    }
    if (run?.status === 'done' && before.underWay === run.id) {
      const answer = answerOf(run.id, this._panel.content.widgets);
      if (answer) {
        void this._scrollTo({ id: answer.model.id, at: 'top' }, run.id);
      }
    } else if (before.followed === null && this._target !== null) {
      void this._scrollTo({ ...this._target }, followed);
    }
  }

  private _onMirrored(ops: readonly LoggedOp[]): void {
    const id = ops
      .map(({ op }) => {
        if (op.op === 'insert') {
          return String(op.cell.id);
        }
        return op.op === 'execution' ? op.cell_id : null;
      })
      .filter(cellId => cellId !== null)
      .at(-1);
    const { followed, underWay } = this._known;
    if (id === undefined || underWay === null) {
      return;
    }
    const target: ITarget = { id, at: 'end' };
    if (followed === underWay && this._panel.isVisible) {
      void this._scrollTo(target, underWay);
    } else {
      this._target = target;
    }
  }

  /** More than once: cells above grow while they are drawn, and push this one out of sight. */
  private async _scrollTo(target: ITarget, run: string): Promise<void> {
    const { id, at } = target;
    this._target = target;
    for (let round = 0; this._isSettling(round); round++) {
      const pause = SETTLING_MS[round] ?? SETTLING_MS.at(-1) ?? 0;
      const rest = this._restUntil - performance.now();
      await new Promise(resolve => setTimeout(resolve, Math.max(pause, rest)));
      const { content } = this._panel;
      if (
        this._target !== target ||
        this._known.followed !== run ||
        content.isDisposed
      ) {
        return;
      }
      const cell = content.widgets.find(({ model }) => model.id === id);
      if (cell?.isAttached) {
        if (bringIntoView(cell.node, content.outerNode, at)) {
          await this._restFromScrolling();
        }
      } else if (cell && round > 0) {
        // Not drawn, and it will not be before the page is there.
        const index = content.widgets.indexOf(cell);
        await content.scrollToItem(index, 'smart').catch(() => undefined);
        await this._restFromScrolling();
      }
    }
  }

  private _isSettling(round: number): boolean {
    const { widgets, notebookConfig } = this._panel.content;
    return (
      round < SETTLING_MS.length ||
      (round < SETTLING_MS.length + MORE_PAUSES &&
        notebookConfig.windowingMode !== 'full' &&
        widgets.some(cell => !cell.isAttached))
    );
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
    if (event.target === outerNode && !isWindowed && this._known.followed) {
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
  private _known: IKnown;
  private _target: ITarget | null = null;
}

function isUnderWay({ status }: RunView): boolean {
  return status === 'running' || status === 'paused' || status === 'waiting';
}

/** Scroll when the cell is out of sight, and then leave room for those that follow. */
function bringIntoView(
  node: HTMLElement,
  scroller: HTMLElement,
  at: ITarget['at']
): boolean {
  const room = scroller.getBoundingClientRect();
  const { top, bottom } = node.getBoundingClientRect();
  if (at === 'top') {
    const before = scroller.scrollTop;
    scroller.scrollTop += top - room.top;
    return scroller.scrollTop !== before;
  }
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
