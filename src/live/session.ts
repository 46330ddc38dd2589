import type { NotebookPanel } from '@jupyterlab/notebook';
import type { Contents, IContentProvider } from '@jupyterlab/services';
import { JSONExt, type PartialJSONObject } from '@lumino/coreutils';
import type { IDisposable } from '@lumino/disposable';

import type { Client } from '../connection/client';
import { StaleBaseError, type NotebookApi } from '../connection/notebook-api';
import type { NotebookState } from '../protocol';
import { Base } from './base';
import { UnsavedEdits } from './edits';
import { answerTo, nameKnownTo, nameOf } from './file-state';
import { NotebookLog, type NotebookNews } from './log';
import { mergeNotebooks } from './merge';
import { Mirror } from './mirror';
import {
  applyOperations,
  positionOf,
  type INotebook,
  type IPosition
} from './notebook-json';
import { Turns } from './turns';

type Context = NotebookPanel['context'];

const SAVE_TRIES = 4;

/**
 * One open notebook: its tab follows the log of its runs, and what its user saves is merged with
 * what others saved.
 *
 * Everything that talks about the file waits its turn in one queue.
 */
export class LiveNotebook implements IDisposable {
  constructor(
    readonly context: Context,
    client: Client,
    private readonly _api: NotebookApi,
    /** Of another extension, which had this context before us: it goes on saving. */
    readonly theirs: IContentProvider | null = null
  ) {
    this._mirror = new Mirror(context.model);
    this.log = new NotebookLog({
      client,
      mirror: this._mirror,
      path: context.path,
      isRewritten: cellId => this._isRewritten(cellId),
      forgetting: () => {
        this._base.settle();
      }
    });
    this._base = new Base(
      nameKnownTo(context),
      this._mirror.toJSON(),
      this.log
    );
    this._edits = new UnsavedEdits(cellIds => {
      const { path } = this.log;
      this.log.say({ type: 'edited', path, cell_ids: cellIds });
    });
    context.pathChanged.connect(this._onPath, this);
    context.saveState.connect(this._onSaveState, this);
    this.log.news.connect(this._onNews, this);
    this.log.attaching.connect(() => {
      this._edits.tellAgain();
    });
    this._mirror.edited.connect(() => {
      this._changedSince = true;
    });
    this._mirror.cellEdited.connect((_, cellId) => {
      this._edits.note(cellId);
    });
    this.log.attach();
  }

  readonly log: NotebookLog;

  /** Whether a run has ever written here; without it JupyterLab's own ways are left alone. */
  get hasLog(): boolean {
    return this.log.isKnown;
  }

  get isDisposed(): boolean {
    return this.log.isDisposed;
  }

  dispose(): void {
    if (this.isDisposed) {
      return;
    }
    this._edits.dispose();
    this.context.pathChanged.disconnect(this._onPath, this);
    this.context.saveState.disconnect(this._onSaveState, this);
    this.log.dispose();
  }

  // -- for the content provider ---------------------------------------------------------------

  /** The notebook was read anew: opened or reverted. JupyterLab puts it into the model next. */
  loaded(model: Contents.IModel): void {
    const content = copyOf(model.content as INotebook);
    this.log.restart(positionOf(content.metadata));
    this._base = new Base(nameOf(model), content, this.log);
    window.setTimeout(() => {
      this.log.attach();
    }, 0);
  }

  /**
   * What JupyterLab is told of the file before it saves: that nothing has changed, unless
   * somebody rewrote a cell that is rewritten here too. Null: there is no log.
   */
  async check(): Promise<Contents.IModel | null> {
    return await this._turns.take(async () => {
      const state = await this._api.check({
        path: this.log.path,
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
        try {
          return await this._saveOnce();
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
      const content = this._contentToSave();
      const saved = await provider.save(this.log.path, {
        ...options,
        content: copyOf(content)
      });
      // What state of the file that made, only the next check can tell.
      this._base = this._baseOf(null, content, positionOf(content.metadata));
      return answerTo(this.context, undefined, saved.last_modified);
    });
  }

  /** JupyterLab saved by itself, because there was no log. */
  savedWithoutUs(content: unknown): void {
    this._plainContent = content as INotebook;
  }

  private async _saveOnce(): Promise<Contents.IModel> {
    const content = this._contentToSave();
    const position = positionOf(content.metadata);
    const { logId } = this.log.at;
    const state = await this._api.save({
      path: this.log.path,
      content: content as unknown as Record<string, unknown>,
      base_hash: this._overwriting ?? this._base.hash,
      log_id: logId,
      applied_seq: position.logId === logId ? position.seq : 0
    });
    this._overwriting = null;
    this._base = this._baseOf(state.hash, content, position);
    return answerTo(this.context, undefined, state.last_modified);
  }

  private _contentToSave(): INotebook {
    this.log.takeUp();
    this._changedSince = false;
    return this._mirror.toJSON();
  }

  // -- what the server says -------------------------------------------------------------------

  private _onNews(_: NotebookLog, news: NotebookNews): void {
    switch (news.type) {
      case 'attached':
        if (news.log_id !== null) {
          this._mirror.ensureIds();
        }
        break;
      case 'disk':
        if (news.by !== 'run' && this.hasLog) {
          void this._catchUp(news.hash);
        }
        break;
      case 'resync':
        void this._catchUp(null);
        break;
      case 'wanted':
        void this._settle(news.cell_id);
        break;
      case 'moved':
        if (news.new_path !== null) {
          this.log.moveTo(news.new_path);
        }
        break;
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
    this.log.say({ type: 'settled', path: this.log.path, cell_id: cellId });
  }

  private _isRewritten(cellId: string): boolean {
    const now = this._mirror.sourceOf(cellId);
    return now !== undefined && now !== this._base.sourceOf(cellId);
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
    const state = await this._api.pull({ path: this.log.path });
    if (this.isDisposed || state.content === null) {
      return true;
    }
    this.log.takeUp();
    return this._merge(state, state.content as unknown as INotebook);
  }

  private _merge(state: NotebookState, theirs: INotebook): boolean {
    const { log_id: logId, seq } = state;
    // All three at the same place of the log, so that only people's changes differ.
    const next = this._baseOf(state.hash, theirs, { logId, seq });
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
    if (logId !== null) {
      const { at } = this.log;
      const known = at.logId === logId ? at.seq : 0;
      this.log.goTo({ logId, seq: Math.max(known, seq) });
      this._mirror.setPosition(this.log.at);
    }
    return true;
  }

  /** The base of a content that is at that place of the log: what came since is added to it. */
  private _baseOf(
    hash: string | null,
    content: INotebook,
    position: IPosition
  ): Base {
    const later = this.log.after(position).map(({ op }) => op);
    applyOperations(content, later);
    return new Base(hash, content, this.log);
  }

  // -- JupyterLab's side ----------------------------------------------------------------------

  private _onPath(_: Context, path: string): void {
    this.log.moveTo(path);
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
      const known = nameKnownTo(this.context);
      this._base = new Base(known, this._plainContent, this.log);
      this._plainContent = null;
    }
  }

  private readonly _mirror: Mirror;
  private readonly _edits: UnsavedEdits;
  private readonly _turns = new Turns();
  private _base: Base;
  private _overwriting: string | null = null;
  private _changedSince = false;
  private _plainContent: INotebook | null = null;
}

function copyOf(content: INotebook): INotebook {
  const json = content as unknown as PartialJSONObject;
  return JSONExt.deepCopy(json) as unknown as INotebook;
}
