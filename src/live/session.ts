import type { NotebookPanel } from '@jupyterlab/notebook';
import type { Contents, IContentProvider } from '@jupyterlab/services';
import { JSONExt, type PartialJSONObject } from '@lumino/coreutils';
import type { IDisposable } from '@lumino/disposable';
import { Signal, type ISignal } from '@lumino/signaling';

import type { Client } from '../connection/client';
import type { ServerMessage } from '../connection/messages';
import { StaleBaseError, type NotebookApi } from '../connection/notebook-api';
import type { LoggedOp, NotebookState } from '../protocol';
import { Base } from './base';
import { UnsavedEdits } from './edits';
import { answerTo, nameKnownTo, nameOf } from './file-state';
import { Inbox, Turns } from './inbox';
import { mergeNotebooks } from './merge';
import { Mirror } from './mirror';
import { positionOf, type INotebook } from './notebook-json';

type Context = NotebookPanel['context'];

const SAVE_TRIES = 4;
const ACK_MS = 1_000;

/**
 * One open notebook: mirrors the log of its runs, and merges what its user saves.
 *
 * Everything that talks about the file waits its turn in one queue.
 */
export class LiveNotebook implements IDisposable {
  constructor(
    readonly context: Context,
    private readonly _client: Client,
    private readonly _api: NotebookApi,
    /** Of another extension, which had this context before us: it goes on saving. */
    readonly theirs: IContentProvider | null = null
  ) {
    this._mirror = new Mirror(context.model);
    this._path = context.path;
    this._logId = positionOf(this._mirror.metadata).logId;
    this._seq = positionOf(this._mirror.metadata).seq;
    this._base = new Base(nameKnownTo(context), this._mirror.toJSON());
    context.pathChanged.connect(this._onPath, this);
    context.saveState.connect(this._onSaveState, this);
    context.model.contentChanged.connect(this._onContent, this);
    _client.messageReceived.connect(this._onMessage, this);
    this._edits = new UnsavedEdits(
      context.model,
      () => this._mirror.writing,
      cellIds => {
        _client.send({ type: 'edited', path: this._path, cell_ids: cellIds });
      }
    );
    this._attach();
  }

  /** Emitted with operations that are now in the page. */
  get mirrored(): ISignal<this, readonly LoggedOp[]> {
    return this._mirrored;
  }

  /** Whether a run has ever written here; without it JupyterLab's own ways are left alone. */
  get hasLog(): boolean {
    return this._attachedLog !== null;
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  dispose(): void {
    if (this._isDisposed) {
      return;
    }
    this._isDisposed = true;
    this._inbox.clear();
    this._edits.dispose();
    window.clearTimeout(this._ackTimer);
    this.context.pathChanged.disconnect(this._onPath, this);
    this.context.saveState.disconnect(this._onSaveState, this);
    this._client.messageReceived.disconnect(this._onMessage, this);
    this._client.send({ type: 'detach', path: this._path });
    Signal.clearData(this);
  }

  // -- for the content provider ---------------------------------------------------------------

  /** The notebook was read anew: opened or reverted. JupyterLab puts it into the model next. */
  loaded(model: Contents.IModel): void {
    const content = JSONExt.deepCopy(
      model.content as PartialJSONObject
    ) as unknown as INotebook;
    const position = positionOf(content.metadata);
    this._inbox.clear();
    this._logId = position.logId;
    this._seq = position.seq;
    this._base = new Base(nameOf(model), content);
    window.setTimeout(() => {
      this._attach();
    }, 0);
  }

  /**
   * What JupyterLab is told of the file before it saves: that nothing has changed, unless
   * somebody rewrote a cell that is rewritten here too. Null: there is no log.
   */
  async check(): Promise<Contents.IModel | null> {
    return await this._turns.take(async () => {
      const state = await this._api.check({
        path: this._path,
        base_hash: this._base.hash
      });
      if (state.log_id === null) {
        return null;
      }
      this._overwriting = null;
      if (!state.current && !(await this._pull())) {
        // "Overwrite" in JupyterLab's dialog leads to a save without another check.
        this._overwriting = state.hash;
        return answerTo(this.context, state.hash, state.last_modified);
      }
      return answerTo(this.context);
    });
  }

  async save(): Promise<Contents.IModel> {
    return await this._turns.take(async () => {
      for (let attempt = 1; ; attempt++) {
        this._inbox.empty();
        const content = this._mirror.toJSON();
        const { logId, seq } = positionOf(content.metadata);
        this._changedSince = false;
        try {
          const state = await this._api.save({
            path: this._path,
            content: content as unknown as Record<string, unknown>,
            base_hash: this._overwriting ?? this._base.hash,
            log_id: this._logId,
            applied_seq: logId === this._logId ? seq : 0
          });
          this._overwriting = null;
          this._base = this._base.next(state.hash, content, seq);
          return answerTo(this.context, undefined, state.last_modified);
        } catch (reason) {
          if (!(reason instanceof StaleBaseError) || attempt >= SAVE_TRIES) {
            throw reason;
          }
          if (!(await this._pull())) {
            // As if the person had closed the dialog: still unsaved, asked again next time.
            const cancelled = new Error(reason.message);
            cancelled.name = 'ModalCancelError';
            throw cancelled;
          }
        }
      }
    });
  }

  /** Let the other extension save; the server adds to it what it lacks of the log. */
  async saveThrough(
    provider: IContentProvider,
    options: Partial<Contents.IModel>
  ): Promise<Contents.IModel> {
    return await this._turns.take(async () => {
      this._inbox.empty();
      const content = this._mirror.toJSON();
      this._changedSince = false;
      const saved = await provider.save(this._path, {
        ...options,
        content: JSONExt.deepCopy(content as unknown as PartialJSONObject)
      });
      // What state of the file that made, only the next check can tell.
      const { seq } = positionOf(content.metadata);
      this._base = this._base.next(null, content, seq);
      return answerTo(this.context, undefined, saved.last_modified);
    });
  }

  /** JupyterLab saved by itself, because there was no log. */
  savedWithoutUs(content: unknown): void {
    this._plainContent = content as INotebook;
  }

  // -- talking to the server ------------------------------------------------------------------

  private _attach(): void {
    this._client.send({
      type: 'attach',
      path: this._path,
      log_id: this._logId,
      applied_seq: this._seq
    });
    this._edits.tellAgain();
  }

  private _onMessage(_: Client, message: ServerMessage): void {
    if (message.type === 'hello') {
      this._attach();
      return;
    }
    if (!('path' in message) || message.path !== this._path) {
      return;
    }
    switch (message.type) {
      case 'attached':
        this._onAttached(message.log_id);
        break;
      case 'ops':
        if (message.log_id === this._logId) {
          this._inbox.put(message.ops);
        }
        break;
      case 'disk':
        if (message.by !== 'run' && this.hasLog) {
          void this._catchUp(message.hash);
        }
        break;
      case 'resync':
        void this._catchUp(null);
        break;
      case 'wanted':
        void this._settle(message.cell_id);
        break;
      case 'moved':
        if (message.new_path !== null) {
          this._moveTo(message.new_path);
        }
        break;
    }
  }

  private _onAttached(logId: string | null): void {
    this._attachedLog = logId;
    if (logId === null) {
      return;
    }
    this._mirror.ensureIds();
    if (logId !== this._logId) {
      this._logId = logId;
      this._seq = 0;
    }
  }

  /** The run is about to execute this cell: it shall be as the person sees it. */
  private async _settle(cellId: string): Promise<void> {
    this._edits.asked(cellId);
    const now = this._mirror.sourceOf(cellId);
    try {
      if (now !== this._base.sourceOf(cellId)) {
        await this.context.save();
      }
    } catch (reason) {
      console.warn('notebook-bcc: an edit could not be saved', reason);
    }
    this._client.send({ type: 'settled', path: this._path, cell_id: cellId });
  }

  private _onPath(_: Context, path: string): void {
    this._moveTo(path);
  }

  private _moveTo(path: string): void {
    if (path !== this._path) {
      this._client.send({ type: 'detach', path: this._path });
      this._path = path;
      this._attach();
    }
  }

  // -- mirroring ------------------------------------------------------------------------------

  private _apply(arrived: readonly LoggedOp[]): void {
    const logId = this._logId;
    const ops = arrived.filter(({ seq }) => seq > this._seq);
    const first = ops.at(0);
    const last = ops.at(-1);
    if (!first || !last || logId === null || this._isDisposed) {
      return;
    }
    if (first.seq !== this._seq + 1) {
      this._attach(); // Something is missing in between: ask for it.
      return;
    }
    try {
      const kept = this._base.rewrittenIn(ops, id => this._mirror.sourceOf(id));
      this._mirror.apply(ops, kept, logId);
      this._base.add(ops);
      this._seq = last.seq;
    } catch (reason) {
      console.error('notebook-bcc: the notebook is read again', reason);
      void this._catchUp(null);
      return;
    }
    this._acknowledgeSoon();
    this._mirrored.emit(ops);
  }

  private _acknowledgeSoon(): void {
    this._ackTimer ??= window.setTimeout(() => {
      this._ackTimer = undefined;
      this._client.send({ type: 'ack', path: this._path, seq: this._seq });
    }, ACK_MS);
  }

  // -- merging --------------------------------------------------------------------------------

  /** Take over what others saved, unless the file is the one we know. */
  private async _catchUp(hash: string | null): Promise<void> {
    try {
      await this._turns.take(async () => {
        if (hash === null || hash !== this._base.hash) {
          await this._pull();
        }
      });
    } catch (reason) {
      // The next save tries again, and says so if it fails.
      console.warn('notebook-bcc: the notebook could not be read', reason);
    }
  }

  /** Read the file and merge it in; false when the same cell was rewritten on both sides. */
  private async _pull(): Promise<boolean> {
    const state = await this._api.pull({ path: this._path });
    if (this._isDisposed || state.content === null) {
      return true;
    }
    this._inbox.empty();
    return this._merge(state, state.content as unknown as INotebook);
  }

  private _merge(state: NotebookState, theirs: INotebook): boolean {
    // All three at the same place of the log, so that only people's changes differ.
    const next = this._base.next(state.hash, theirs, state.seq);
    const { notebook, conflicts } = mergeNotebooks(
      this._base.content,
      this._mirror.toJSONBeside(next.content),
      next.content
    );
    if (conflicts.length > 0) {
      return false;
    }
    this._mirror.patch(notebook);
    this._base = next;
    if (state.log_id !== null) {
      this._seq = Math.max(
        this._logId === state.log_id ? this._seq : 0,
        state.seq
      );
      this._logId = this._attachedLog = state.log_id;
      this._mirror.setPosition(state.log_id, this._seq);
    }
    return true;
  }

  // -- JupyterLab's side ----------------------------------------------------------------------

  private _onContent(): void {
    if (!this._mirror.writing) {
      this._changedSince = true;
    }
  }

  private _onSaveState(_: Context, state: string): void {
    if (state === 'started') {
      this._changedSince = false;
    }
    if (state !== 'completed') {
      return;
    }
    if (this._changedSince) {
      // Typed while the save was under way: JupyterLab has marked it as saved.
      this.context.model.dirty = true;
    }
    if (this._plainContent !== null) {
      this._base = new Base(nameKnownTo(this.context), this._plainContent);
      this._plainContent = null;
    }
  }

  private readonly _mirror: Mirror;
  private readonly _edits: UnsavedEdits;
  private _base: Base;
  private _path: string;
  private _logId: string | null;
  private _seq: number;
  private _attachedLog: string | null = null;
  private readonly _inbox = new Inbox(ops => {
    this._apply(ops);
  });
  private readonly _turns = new Turns();
  private _ackTimer: number | undefined;
  private _overwriting: string | null = null;
  private _changedSince = false;
  private _plainContent: INotebook | null = null;
  private _isDisposed = false;
  private readonly _mirrored = new Signal<this, readonly LoggedOp[]>(this);
}
