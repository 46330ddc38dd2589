import type { IDisposable } from '@lumino/disposable';
import { Signal, type ISignal } from '@lumino/signaling';

import type { Client } from '../connection/client';
import type { ClientMessage, NotebookMessage } from '../connection/messages';
import type { LoggedOp, Operations } from '../protocol';
import type { Mirror } from './mirror';
import type { IPosition } from './notebook-json';

const ACK_MS = 1_000;
/** More than come while a save or a pull is under way. */
const REMEMBERED = 2_000;

/** What the server says of the notebook besides its operations. */
export type NotebookNews = Exclude<NotebookMessage, Operations>;

export interface ILogOptions {
  client: Client;
  mirror: Mirror;
  path: string;
  /** Whether the person has changed the text of a cell: a run neither replaces nor deletes it. */
  isRewritten: (cellId: string) => boolean;
  /** Operations are about to be forgotten: who still needs them is to take them now. */
  forgetting: () => void;
}

/**
 * The log of one notebook's runs, as this tab follows it: in order, without a gap, into the page.
 *
 * What arrives while the page is busy is gathered into one batch: after each batch the page is
 * left to its user for as long as the batch took.
 */
export class NotebookLog implements IDisposable {
  constructor(private readonly _options: ILogOptions) {
    const { client, mirror, path } = _options;
    this._path = path;
    this._at = mirror.position;
    client.connectionChanged.connect(this._onConnection, this);
    client.notebookNews.connect(this._onNews, this);
  }

  get path(): string {
    return this._path;
  }

  /** How far along which log the page is. */
  get at(): Readonly<IPosition> {
    return this._at;
  }

  /** Whether a run has ever written here, as far as the server has said. */
  get isKnown(): boolean {
    return this._isKnown;
  }

  /** Emitted with operations that are now in the page. */
  get mirrored(): ISignal<this, readonly LoggedOp[]> {
    return this._mirrored;
  }

  /** Everything else that the server says of this notebook. */
  get news(): ISignal<this, NotebookNews> {
    return this._news;
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  dispose(): void {
    if (this._isDisposed) {
      return;
    }
    this._isDisposed = true;
    this._dropWaiting();
    window.clearTimeout(this._ackTimer);
    const { client } = this._options;
    client.connectionChanged.disconnect(this._onConnection, this);
    client.notebookNews.disconnect(this._onNews, this);
    this.say({ type: 'detach', path: this._path });
    Signal.clearData(this);
  }

  say(message: ClientMessage): void {
    this._options.client.send(message);
  }

  /** Ask for everything after the place the page has reached. */
  attach(): void {
    const { logId, seq } = this._at;
    this.say({
      type: 'attach',
      path: this._path,
      log_id: logId,
      applied_seq: seq
    });
    this._attaching.emit();
  }

  /** Emitted when the server has been told anew that this tab is here. */
  get attaching(): ISignal<this, void> {
    return this._attaching;
  }

  moveTo(path: string): void {
    if (path !== this._path) {
      this.say({ type: 'detach', path: this._path });
      this._path = path;
      this.attach();
    }
  }

  /** The page was read anew, or merged with the file, and is at another place now. */
  goTo(position: IPosition): void {
    if (position.logId !== this._at.logId) {
      this._forget(this._recent.length);
    }
    this._isKnown ||= position.logId !== null;
    this._at = position;
  }

  /** The page was read anew: what has not been applied yet is asked for again. */
  restart(position: IPosition): void {
    this._dropWaiting();
    this._forget(this._recent.length);
    this._at = position;
  }

  /** Apply what has arrived, now. */
  takeUp(): void {
    const ops = this._waiting;
    this._dropWaiting();
    if (ops.length > 0) {
      const started = performance.now();
      this._apply(ops);
      const ended = performance.now();
      this._freeAt = ended + (ended - started);
    }
  }

  /** How many operations were applied here. */
  get count(): number {
    return this._forgotten + this._recent.length;
  }

  /** Those that were applied after that many. */
  since(count: number): LoggedOp[] {
    return this._recent.slice(Math.max(0, count - this._forgotten));
  }

  /** Those that were applied here and come after a place in the log; before the first, all. */
  after({ logId, seq }: IPosition): LoggedOp[] {
    return logId === null || logId === this._at.logId
      ? this._recent.filter(op => op.seq > seq)
      : [];
  }

  private _onConnection(): void {
    if (this._options.client.connection === 'connected') {
      this.attach();
    }
  }

  private _onNews(_: Client, message: NotebookMessage): void {
    if (message.path !== this._path) {
      return;
    }
    if (message.type === 'ops') {
      if (message.log_id === this._at.logId) {
        this._gather(message.ops);
      }
      return;
    }
    if (message.type === 'attached') {
      this._isKnown = message.log_id !== null;
      if (message.log_id !== null && message.log_id !== this._at.logId) {
        this.goTo({ logId: message.log_id, seq: 0 });
      }
    }
    this._news.emit(message);
  }

  private _gather(ops: readonly LoggedOp[]): void {
    this._waiting.push(...ops);
    this._timer ??= window.setTimeout(
      () => {
        this.takeUp();
      },
      Math.max(0, this._freeAt - performance.now())
    );
  }

  private _dropWaiting(): void {
    window.clearTimeout(this._timer);
    this._timer = undefined;
    this._waiting = [];
  }

  private _apply(arrived: readonly LoggedOp[]): void {
    const { logId } = this._at;
    const ops = arrived.filter(({ seq }) => seq > this._at.seq);
    const first = ops.at(0);
    const last = ops.at(-1);
    if (!first || !last || logId === null || this._isDisposed) {
      return;
    }
    if (first.seq !== this._at.seq + 1) {
      this.attach(); // Something is missing in between: ask for it.
      return;
    }
    try {
      // Before the first of them is applied: it may itself change the text of a cell.
      const keep = rewrittenIn(ops, this._options.isRewritten);
      this._options.mirror.apply(ops, keep, logId);
    } catch (reason) {
      console.error('notebook-bcc: the notebook is read again', reason);
      const path = this._path;
      this._news.emit({ type: 'resync', path, reason: String(reason) });
      return;
    }
    this._at = { logId, seq: last.seq };
    this._remember(ops);
    this._acknowledgeSoon();
    this._mirrored.emit(ops);
  }

  private _remember(ops: readonly LoggedOp[]): void {
    this._recent.push(...ops);
    if (this._recent.length > 2 * REMEMBERED) {
      this._forget(this._recent.length - REMEMBERED);
    }
  }

  private _forget(most: number): void {
    this._options.forgetting();
    this._recent.splice(0, most);
    this._forgotten += most;
  }

  private _acknowledgeSoon(): void {
    this._ackTimer ??= window.setTimeout(() => {
      this._ackTimer = undefined;
      this.say({ type: 'ack', path: this._path, seq: this._at.seq });
    }, ACK_MS);
  }

  private _path: string;
  private _at: IPosition;
  private _isKnown = false;
  private _waiting: LoggedOp[] = [];
  private _timer: number | undefined;
  private _freeAt = 0;
  private _ackTimer: number | undefined;
  private readonly _recent: LoggedOp[] = [];
  private _forgotten = 0;
  private _isDisposed = false;
  private readonly _mirrored = new Signal<this, readonly LoggedOp[]>(this);
  private readonly _news = new Signal<this, NotebookNews>(this);
  private readonly _attaching = new Signal<this, void>(this);
}

function rewrittenIn(
  ops: readonly LoggedOp[],
  isRewritten: (cellId: string) => boolean
): Set<string> {
  const kept = new Set<string>();
  for (const { op } of ops) {
    if ((op.op === 'source' || op.op === 'delete') && isRewritten(op.cell_id)) {
      kept.add(op.cell_id);
    }
  }
  return kept;
}
