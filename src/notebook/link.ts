import type { JupyterFrontEnd } from '@jupyterlab/application';
import { PathExt } from '@jupyterlab/coreutils';
import type { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import type { CommandRegistry } from '@lumino/commands';
import { Signal, type ISignal } from '@lumino/signaling';

import type { RunView } from '../protocol';
import type { Model } from '../runs/model';
import { answerOf, markOf, placeOf, type ICellPlace } from './provenance';

const OPEN = 'docmanager:open';

/** A part of a run whose cells are wanted: a stage, a step, a behavior or an action. */
export interface IPlace {
  run: string;
  stage: string;
  step?: string | null;
  iteration?: number | null;
  action?: string | null;
  cellId?: string | null;
}

/**
 * The way between the plan and the notebook: to the cells of a node, to the node of a cell.
 */
export class NotebookLink {
  constructor(
    private readonly _commands: CommandRegistry,
    private readonly _shell: JupyterFrontEnd.IShell,
    private readonly _tracker: INotebookTracker | null,
    private readonly _model: Model,
    /** Notebook 7 shows one notebook to a page, and opens others in pages of their own. */
    readonly staysInPage: boolean
  ) {
    _tracker?.currentChanged.connect(this._onCurrent, this);
    // A notebook that opens has an active cell, too, which nobody chose: only what the person
    // does in the notebook counts.
    _tracker?.activeCellChanged.connect(() => {
      this._model.cellPlace = null;
    });
    _tracker?.widgetAdded.connect((_, panel) => {
      panel.context.pathChanged.connect(this._onCurrent, this);
      for (const gesture of ['click', 'keyup']) {
        panel.content.node.addEventListener(gesture, this._showNodeOfCell);
      }
    });
  }

  /** The notebook the person works in. */
  get current(): NotebookPanel | null {
    return this._tracker?.currentWidget ?? null;
  }

  get currentPath(): string | null {
    return this.current?.context.path ?? null;
  }

  get currentChanged(): ISignal<this, void> {
    return this._currentChanged;
  }

  /** The place of the selected cell; null when it is none of ours. */
  placeOfActiveCell(): ICellPlace | null {
    return placeOf(this._tracker?.activeCell);
  }

  /** Whether the selected cell offers Debug (A18). */
  activeCellOffersDebug(): boolean {
    return markOf(this._tracker?.activeCell)?.debug === true;
  }

  /**
   * Bring a notebook to the front; opened where it is not yet. Notebook 7 would take one that it
   * shows out of the page and open it in another.
   */
  async open(path: string): Promise<NotebookPanel | null> {
    const shown = this._panel(path);
    if (shown) {
      this._shell.activateById(shown.id);
    } else if (this._commands.hasCommand(OPEN)) {
      await this._commands.execute(OPEN, { path });
    }
    const panel = shown ?? this._panel(path);
    await panel?.context.ready;
    return panel;
  }

  /** Look at a run and at its notebook. */
  async goTo(run: RunView): Promise<void> {
    await this.open(run.notebook);
    this._model.select(run.id);
  }

  /** Open the run's notebook where its answer is. */
  async showAnswer(run: RunView): Promise<void> {
    const panel = await this.open(run.notebook);
    await panel?.revealed;
    const cell = panel && answerOf(run.id, panel.content.widgets);
    if (cell) {
      panel.content.activeCellIndex = panel.content.widgets.indexOf(cell);
      await panel.content.scrollToCell(cell, 'start');
    }
  }

  /** Open the run's notebook and scroll to the first cell of that place. */
  async reveal(path: string, place: IPlace): Promise<boolean> {
    const panel = await this.open(path);
    if (!panel) {
      return false;
    }
    await panel.revealed;
    const notebook = panel.content;
    const index = notebook.widgets.findIndex(cell =>
      place.cellId ? cell.model.id === place.cellId : fits(placeOf(cell), place)
    );
    const cell = notebook.widgets[index];
    if (!cell) {
      return false;
    }
    notebook.activeCellIndex = index;
    this._showNodeOfCell();
    await notebook.scrollToCell(cell, 'smart');
    return true;
  }

  private _onCurrent(): void {
    this._model.front = this.currentPath;
    this._currentChanged.emit();
  }

  private readonly _showNodeOfCell = (): void => {
    this._model.cellPlace = this.placeOfActiveCell();
  };

  private readonly _currentChanged = new Signal<this, void>(this);

  private _panel(path: string): NotebookPanel | null {
    const wanted = PathExt.normalize(path);
    return this._tracker?.find(panel => panel.context.path === wanted) ?? null;
  }
}

function fits(found: ICellPlace | null, wanted: IPlace): boolean {
  return (
    found !== null &&
    found.run === wanted.run &&
    found.stage === wanted.stage &&
    (!wanted.step || found.step === wanted.step) &&
    (!wanted.iteration || found.iteration === wanted.iteration) &&
    (!wanted.action || found.action === wanted.action)
  );
}
