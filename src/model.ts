import { VDomModel } from '@jupyterlab/ui-components';

import type { Client } from './client';
import type { ServerMessage } from './messages';
import type { RunView, State } from './protocol';
import { DEFAULT_SETTINGS, type ISettings } from './settings';
import type { Connection, INotebookBcc } from './tokens';

/**
 * What the sidebar shows. Only the server changes it; the browser never works out a state.
 */
export class Model extends VDomModel implements INotebookBcc {
  constructor(client: Client) {
    super();
    this._client = client;
    client.connectionChanged.connect(this._onConnection, this);
    client.messageReceived.connect(this._onMessage, this);
  }

  get connection(): Connection {
    return this._client.connection;
  }

  get state(): State | null {
    return this.runs.at(0)?.state ?? this._idleState;
  }

  get serverVersion(): string {
    return this._serverVersion;
  }

  /** Newest first. */
  get runs(): readonly RunView[] {
    return this._runs;
  }

  get settings(): ISettings {
    return this._settings;
  }

  set settings(settings: ISettings) {
    this._settings = settings;
    this.stateChanged.emit();
  }

  override dispose(): void {
    if (this.isDisposed) {
      return;
    }
    this._client.connectionChanged.disconnect(this._onConnection, this);
    this._client.messageReceived.disconnect(this._onMessage, this);
    super.dispose();
  }

  private _onConnection(): void {
    this.stateChanged.emit();
  }

  private _onMessage(_: Client, message: ServerMessage): void {
    if (message.type === 'hello') {
      this._serverVersion = message.version;
      this._idleState = message.state;
      this._runs = message.runs;
    } else if (message.type === 'run') {
      this._runs = withRun(this._runs, message.run);
    } else {
      // Single events and notebook operations are other listeners' business.
      return;
    }
    this.stateChanged.emit();
  }

  private readonly _client: Client;
  private _serverVersion = '';
  private _idleState: State | null = null;
  private _runs: readonly RunView[] = [];
  private _settings: ISettings = DEFAULT_SETTINGS;
}

/** The runs with `run` in its place, or as the newest. */
function withRun(runs: readonly RunView[], run: RunView): RunView[] {
  const known = runs.some(({ id }) => id === run.id);
  return known
    ? runs.map(other => (other.id === run.id ? run : other))
    : [run, ...runs];
}
