import { PathExt } from '@jupyterlab/coreutils';
import type { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import type { CommandRegistry } from '@lumino/commands';
import { Signal, type ISignal } from '@lumino/signaling';

import type { ICellPlace, Model } from './model';

/** Where the server says, in a cell's metadata, where the cell comes from. */
const METADATA_KEY = 'notebook_bcc';
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
    private readonly _tracker: INotebookTracker | null,
    private readonly _model: Model
  ) {
    _tracker?.currentChanged.connect(() => {
      this._currentChanged.emit();
    });
    // A notebook that opens has an active cell, too, which nobody chose: only what the person
    // does in the notebook counts.
    _tracker?.activeCellChanged.connect(() => {
      this._model.cellPlace = null;
    });
    _tracker?.widgetAdded.connect((_, panel) => {
      for (const gesture of ['click', 'keyup']) {
        panel.content.node.addEventListener(gesture, this._showNodeOfCell);
      }
    });
  }

  /** The path of the notebook the person works in. */
  get currentPath(): string | null {
    return this._tracker?.currentWidget?.context.path ?? null;
  }

  get currentChanged(): ISignal<this, void> {
    return this._currentChanged;
  }

  /** The place of the selected cell; null when it is none of ours. */
  placeOfActiveCell(): ICellPlace | null {
    return readPlace(
      this._tracker?.activeCell?.model.getMetadata(METADATA_KEY)
    );
  }

  /** Whether the selected cell offers Debug (A18). */
  activeCellOffersDebug(): boolean {
    const mark: unknown =
      this._tracker?.activeCell?.model.getMetadata(METADATA_KEY);
    return isRecord(mark) && mark.debug === true;
  }

  async open(path: string): Promise<NotebookPanel | null> {
    if (this._commands.hasCommand(OPEN)) {
      await this._commands.execute(OPEN, { path });
    }
    const panel = this._panel(path);
    await panel?.context.ready;
    return panel;
  }

  /** Open the run's notebook and scroll to the first cell of that place. */
  async reveal(path: string, place: IPlace): Promise<boolean> {
    const panel = this._panel(path) ?? (await this.open(path));
    if (!panel) {
      return false;
    }
    await panel.revealed;
    const notebook = panel.content;
    const index = notebook.widgets.findIndex(cell =>
      place.cellId
        ? cell.model.id === place.cellId
        : fits(readPlace(cell.model.getMetadata(METADATA_KEY)), place)
    );
    const cell = notebook.widgets[index];
    if (!cell) {
      return false;
    }
    await this._commands.execute(OPEN, { path });
    notebook.activeCellIndex = index;
    this._showNodeOfCell();
    await notebook.scrollToCell(cell, 'smart');
    return true;
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

function readPlace(mark: unknown): ICellPlace | null {
  if (!isRecord(mark)) {
    return null;
  }
  const { run, stage, step, iteration, action } = mark;
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

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
