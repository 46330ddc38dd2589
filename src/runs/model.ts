import { VDomModel } from '@jupyterlab/ui-components';
import { Signal, type ISignal } from '@lumino/signaling';
import { UUID } from '@lumino/coreutils';

import {
  ApiError,
  type Api,
  type NewRun,
  type NewCommand
} from '../connection/api';
import type { Client } from '../connection/client';
import type { RunMessage } from '../connection/messages';
import type { ICellPlace } from '../notebook/provenance';
import type { RunView, State } from '../protocol';
import { DEFAULT_SETTINGS, type ISettings } from '../settings';
import type { Connection, INotebookBcc } from '../tokens';
import { newsOf, type IRunNews } from './events';
import { withRun } from './views';

/** A command that the server did not take. */
export interface IRefusal {
  /** The class of the server's error; empty when the server was not reached. */
  kind: string;
  message: string;
  /** The question that the command was to answer. */
  proposal: string | null;
}

/**
 * What the sidebar shows. Only the server changes a run; the browser never works out a state.
 */
export class Model extends VDomModel implements INotebookBcc {
  constructor(client: Client) {
    super();
    this._client = client;
    client.connectionChanged.connect(this._onConnection, this);
    client.runNews.connect(this._onNews, this);
  }

  get api(): Api {
    return this._client.api;
  }

  get connection(): Connection {
    return this._client.connection;
  }

  get state(): State | null {
    return this.selected?.state ?? this._idleState;
  }

  get serverVersion(): string {
    return this._serverVersion;
  }

  /** What is wrong with the server's memory of runs, in its own words. */
  get trouble(): string | null {
    return this._trouble;
  }

  /** Newest first. */
  get runs(): readonly RunView[] {
    return this._runs;
  }

  /** The run that is looked at: the one that was chosen, else the newest of the notebook in front. */
  get selected(): RunView | null {
    const { _front: front, _runs: runs } = this;
    return (
      runs.find(({ id }) => id === this._selectedId) ??
      runs.find(({ notebook }) => front === null || notebook === front) ??
      null
    );
  }

  /** The notebook in front; null while none is open. */
  get front(): string | null {
    return this._front;
  }

  set front(path: string | null) {
    if (path === this._front) {
      return;
    }
    this._front = path;
    // Another notebook: what was chosen beside the one of before is not meant any more.
    this._selectedId = null;
    this.stateChanged.emit();
  }

  /** Runs that wait for the person. */
  get waiting(): readonly RunView[] {
    return this._runs.filter(({ pending }) => pending !== null);
  }

  /** Whether the form for a new run is open although there are runs. */
  get starting(): boolean {
    return this._starting;
  }

  /** What the server last refused about a run. */
  refusal(runId: string): IRefusal | undefined {
    return this._refusals.get(runId);
  }

  /** The place of the cell that is selected in the notebook. */
  get cellPlace(): ICellPlace | null {
    return this._cellPlace;
  }

  set cellPlace(place: ICellPlace | null) {
    if (JSON.stringify(place) === JSON.stringify(this._cellPlace)) {
      return;
    }
    this._cellPlace = place;
    this.stateChanged.emit();
  }

  /** Milliseconds by which this machine's clock is ahead of the server's. */
  get clockLead(): number {
    return this._clockLead;
  }

  get settings(): ISettings {
    return this._settings;
  }

  set settings(settings: ISettings) {
    this._settings = settings;
    this.stateChanged.emit();
  }

  /** Everything that happens in the runs, one by one. */
  get happened(): ISignal<this, IRunNews> {
    return this._happened;
  }

  /** Runs that were started in this page. */
  get started(): ISignal<this, RunView> {
    return this._started;
  }

  isFollowed(runId: string): boolean {
    return this._followed.get(runId) ?? this._settings.follow;
  }

  follow(runId: string, wanted: boolean): void {
    if (wanted !== this.isFollowed(runId)) {
      this._followed.set(runId, wanted);
      this.stateChanged.emit();
    }
  }

  select(runId: string): void {
    this._selectedId = runId;
    this._starting = false;
    this.stateChanged.emit();
  }

  openStart(open = true): void {
    this._starting = open;
    this.stateChanged.emit();
  }

  /** Start a run and look at it. What the server refuses is thrown. */
  async start(request: NewRun): Promise<RunView> {
    const settings = { ...this._settings.options, ...request.settings };
    const run = await this.api.startRun({ ...request, settings });
    this._runs = withRun(this._runs, run);
    this.select(run.id);
    this._started.emit(run);
    return run;
  }

  /** Give a command. What the server refuses is shown with the run, and thrown. */
  async command(runId: string, command: NewCommand): Promise<RunView> {
    this._refusals.delete(runId);
    try {
      const key = command.key ?? UUID.uuid4();
      const run = await this.api.command(runId, { ...command, key });
      this._runs = withRun(this._runs, run);
      this.stateChanged.emit();
      return run;
    } catch (reason) {
      this._refusals.set(runId, {
        kind: reason instanceof ApiError ? reason.kind : '',
        message: reason instanceof ApiError ? reason.message : String(reason),
        proposal: command.proposal_id ?? null
      });
      this.stateChanged.emit();
      await this._look(runId);
      throw reason;
    }
  }

  forgetRefusal(runId: string): void {
    this._refusals.delete(runId);
    this.stateChanged.emit();
  }

  override dispose(): void {
    if (this.isDisposed) {
      return;
    }
    this._client.connectionChanged.disconnect(this._onConnection, this);
    this._client.runNews.disconnect(this._onNews, this);
    super.dispose();
  }

  /** A refused command was given to a run that is not as it is shown here. */
  private async _look(runId: string): Promise<void> {
    try {
      this._runs = withRun(this._runs, await this.api.run(runId));
      this.stateChanged.emit();
    } catch (reason) {
      console.debug(`notebook-bcc: run ${runId} cannot be read`, reason);
    }
  }

  private _onConnection(): void {
    this.stateChanged.emit();
  }

  private _onNews(_: Client, message: RunMessage): void {
    if (message.type === 'hello') {
      this._serverVersion = message.version;
      this._idleState = message.state;
      this._runs = message.runs;
      this._trouble = message.trouble ?? null;
    } else if (message.type === 'run') {
      this._clockLead = Date.now() - Date.parse(message.run.updated_at);
      this._runs = withRun(this._runs, message.run);
    } else {
      if (message.type === 'event') {
        this._happened.emit(newsOf(message));
      }
      return;
    }
    this.stateChanged.emit();
  }

  private readonly _client: Client;
  private _serverVersion = '';
  private _idleState: State | null = null;
  private _trouble: string | null = null;
  private _runs: readonly RunView[] = [];
  private _front: string | null = null;
  private _selectedId: string | null = null;
  private _starting = false;
  private _cellPlace: ICellPlace | null = null;
  private _clockLead = 0;
  private _settings: ISettings = DEFAULT_SETTINGS;
  /** What the person chose for a run; the settings say it for the others. */
  private readonly _followed = new Map<string, boolean>();
  private readonly _refusals = new Map<string, IRefusal>();
  private readonly _started = new Signal<this, RunView>(this);
  private readonly _happened = new Signal<this, IRunNews>(this);
}
