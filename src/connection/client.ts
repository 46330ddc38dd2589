import { URLExt } from '@jupyterlab/coreutils';
import { ServerConnection } from '@jupyterlab/services';
import type { IDisposable } from '@lumino/disposable';
import { Signal, type ISignal } from '@lumino/signaling';

import type { Connection } from '../tokens';
import { Api, API } from './api';
import { Backoff, type IBackoffOptions } from './backoff';
import type {
  ClientMessage,
  NotebookMessage,
  RunMessage,
  ServerMessage
} from './messages';

const BACKOFF: IBackoffOptions = { firstMs: 500, ceilingMs: 15_000 };
const HELLO_TIMEOUT_MS = 10_000;

export interface IClientOptions {
  serverSettings?: ServerConnection.ISettings;
  backoff?: IBackoffOptions;
  helloTimeoutMs?: number;
}

const clients = new WeakMap<ServerConnection.ISettings, Client>();

/** The one client of a server: its WebSocket is shared by all plugins. */
export function clientFor(serverSettings: ServerConnection.ISettings): Client {
  let client = clients.get(serverSettings);
  if (client === undefined || client.isDisposed) {
    client = new Client({ serverSettings });
    clients.set(serverSettings, client);
  }
  return client;
}

/**
 * The browser's side of the server extension: REST calls and the `live` WebSocket.
 *
 * The socket is re-opened for as long as the client lives. It counts as connected once the
 * server has said hello, since a proxy can accept a socket whose server is not there.
 */
export class Client implements IDisposable {
  constructor(options: IClientOptions = {}) {
    this.serverSettings =
      options.serverSettings ?? ServerConnection.makeSettings();
    this.api = new Api(this.serverSettings);
    this._backoff = new Backoff(options.backoff ?? BACKOFF);
    this._helloTimeoutMs = options.helloTimeoutMs ?? HELLO_TIMEOUT_MS;
    window.addEventListener('online', this._onOnline);
    window.addEventListener('offline', this._onOffline);
  }

  readonly serverSettings: ServerConnection.ISettings;
  readonly api: Api;

  get connection(): Connection {
    return this._connection;
  }

  get connectionChanged(): ISignal<this, Connection> {
    return this._connectionChanged;
  }

  /** News of the runs. */
  get runNews(): ISignal<this, RunMessage> {
    return this._runNews;
  }

  /** News of notebooks that are open in this page. */
  get notebookNews(): ISignal<this, NotebookMessage> {
    return this._notebookNews;
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  /** Open the WebSocket, and keep it open from now on. */
  connect(): void {
    if (this._isDisposed || this._socket !== null) {
      return;
    }
    window.clearTimeout(this._timer);
    const { WebSocket } = this.serverSettings;
    const socket = new WebSocket(this._liveUrl());
    this._socket = socket;
    this._timer = window.setTimeout(() => {
      this._drop();
    }, this._helloTimeoutMs);
    socket.onmessage = (event: MessageEvent) => {
      this._receive(event.data);
    };
    socket.onclose = () => {
      this._drop();
    };
  }

  /** Say something to the server; false when there is no connection to say it over. */
  send(message: ClientMessage): boolean {
    if (this._socket === null || this._connection !== 'connected') {
      return false;
    }
    this._socket.send(JSON.stringify(message));
    return true;
  }

  dispose(): void {
    if (this._isDisposed) {
      return;
    }
    this._isDisposed = true;
    window.removeEventListener('online', this._onOnline);
    window.removeEventListener('offline', this._onOffline);
    this._drop();
    Signal.clearData(this);
  }

  private _liveUrl(): string {
    const { wsUrl, token, appendToken } = this.serverSettings;
    const url = URLExt.join(wsUrl, API, 'live');
    return appendToken && token
      ? `${url}?token=${encodeURIComponent(token)}`
      : url;
  }

  private _receive(data: unknown): void {
    const message = parsed(data);
    if (message === null) {
      console.debug('notebook-bcc: message not understood', data);
      return;
    }
    if (this._connection !== 'connected') {
      window.clearTimeout(this._timer);
      this._backoff.reset();
      this._setConnection('connected');
    }
    switch (message.type) {
      case 'hello':
      case 'run':
      case 'event':
      case 'events_lost':
        this._runNews.emit(message);
        break;
      case 'attached':
      case 'ops':
      case 'disk':
      case 'resync':
      case 'moved':
      case 'wanted':
        this._notebookNews.emit(message);
        break;
      default:
        // A newer server may say more than this page understands.
        console.debug('notebook-bcc: message not understood', data);
    }
  }

  /** Let go of the socket, whatever its state, and try again later. */
  private _drop(): void {
    window.clearTimeout(this._timer);
    const socket = this._socket;
    this._socket = null;
    if (socket !== null) {
      socket.onmessage = null;
      socket.onclose = null;
      socket.close();
    }
    if (this._isDisposed) {
      return;
    }
    this._setConnection('reconnecting');
    this._timer = window.setTimeout(() => {
      this.connect();
    }, this._backoff.next());
  }

  private _setConnection(connection: Connection): void {
    if (this._connection !== connection) {
      this._connection = connection;
      this._connectionChanged.emit(connection);
    }
  }

  private readonly _onOnline = (): void => {
    this._backoff.reset();
    this.connect();
  };

  // Without a network a socket stays open, silently, until some timeout of the system.
  private readonly _onOffline = (): void => {
    if (this._socket !== null) {
      this._drop();
    }
  };

  private readonly _backoff: Backoff;
  private readonly _helloTimeoutMs: number;
  private _connection: Connection = 'connecting';
  private _socket: WebSocket | null = null;
  private _timer: number | undefined;
  private _isDisposed = false;
  private readonly _connectionChanged = new Signal<this, Connection>(this);
  private readonly _runNews = new Signal<this, RunMessage>(this);
  private readonly _notebookNews = new Signal<this, NotebookMessage>(this);
}

/** A message, as far as one can be made of it; its type may be one of a newer server. */
function parsed(data: unknown): ServerMessage | null {
  try {
    const message: unknown = typeof data === 'string' ? JSON.parse(data) : null;
    return typeof message === 'object' && message !== null && 'type' in message
      ? (message as ServerMessage)
      : null;
  } catch {
    return null;
  }
}
