import { NotebookModel } from '@jupyterlab/notebook';
import type { Contents } from '@jupyterlab/services';
import { JSONExt, type PartialJSONObject } from '@lumino/coreutils';
import { Signal } from '@lumino/signaling';

import type { Client } from '../../connection/client';
import type { ClientMessage, NotebookMessage } from '../../connection/messages';
import {
  StaleBaseError,
  type NotebookApi
} from '../../connection/notebook-api';
import type { LoggedOp, NotebookState, SaveRequest } from '../../protocol';
import type { Connection } from '../../tokens';
import {
  applyOperations,
  type ICell,
  type INotebook,
  type NotebookOp
} from '../notebook-json';
import { LiveNotebook } from '../session';

const LOG = 'log-1';

// JupyterLab's shared models read a cell before it is in a document, and yjs warns each time.
const { warn } = console;
beforeAll(() => {
  jest.spyOn(console, 'warn').mockImplementation((...words: unknown[]) => {
    if (!/Invalid access|Not same Y.Doc/.test(words.join(' '))) {
      warn(...words);
    }
  });
});

export function textCell(id: string, source = `text of ${id}`): ICell {
  return { id, cell_type: 'markdown', source, metadata: {} };
}

export function codeCell(id: string, source = `code_of("${id}")`): ICell {
  return {
    id,
    cell_type: 'code',
    source,
    metadata: {},
    outputs: [],
    execution_count: null
  };
}

export function notebook(...cells: ICell[]): INotebook {
  return { nbformat: 4, nbformat_minor: 5, metadata: {}, cells };
}

export function copyOf<T>(value: T): T {
  return JSONExt.deepCopy(value as unknown as PartialJSONObject) as T;
}

/** A real model of JupyterLab with that content. */
export function modelOf(content: INotebook): NotebookModel {
  const model = new NotebookModel();
  model.fromJSON(copyOf(content) as never);
  model.sharedModel.clearUndoHistory();
  model.dirty = false;
  return model;
}

export function insertion(
  cell: ICell,
  after: string | null = null
): NotebookOp {
  return { op: 'insert', cell: copyOf(cell), after_id: after } as never;
}

/** One notebook on the server: its file, the log of its runs, and the tabs that are attached. */
export class FakeServer {
  constructor(public file: INotebook) {}

  path = 'a.ipynb';
  /** Null until a run has written here. */
  logId: string | null = null;
  readonly log: LoggedOp[] = [];
  version = 1;
  readonly tabs: Tab[] = [];
  /** What happens while a save is on its way. */
  duringSave = (): void => undefined;

  get hash(): string {
    return `v${String(this.version)}`;
  }

  /** A run writes: the log, and every tab that follows it. */
  write(...ops: NotebookOp[]): void {
    const logged = this.record(...ops);
    for (const tab of this.tabs) {
      tab.hear(this.operations(logged));
    }
  }

  /** The same, but no tab hears of it. */
  record(...ops: NotebookOp[]): LoggedOp[] {
    this.logId ??= LOG;
    const from = this.log.length;
    const logged = ops.map((op, index) => ({ seq: from + index + 1, op }));
    this.log.push(...logged);
    return logged;
  }

  operations(ops: readonly LoggedOp[]): NotebookMessage {
    const log_id = this.logId ?? '';
    return { type: 'ops', path: this.path, log_id, ops: copyOf([...ops]) };
  }

  /** Somebody else saves the file. */
  rewrite(content: INotebook, by: 'tab' | 'other' = 'other', not?: Tab): void {
    this.version += 1;
    this.file = content;
    for (const tab of this.tabs.filter(one => one !== not)) {
      tab.hear({
        type: 'disk',
        path: this.path,
        hash: this.hash,
        last_modified: this.hash,
        seq: this.log.length,
        by
      });
    }
  }

  state(content: INotebook | null, current: boolean): NotebookState {
    return {
      path: this.path,
      hash: this.hash,
      has_hash: true,
      last_modified: this.hash,
      log_id: this.logId,
      seq: this.log.length,
      current,
      content: content as unknown as NotebookState['content']
    };
  }

  /** The file with all of the log in it, as the server hands it out. */
  upToDate(content: INotebook, seq: number): INotebook {
    const whole = copyOf(content);
    applyOperations(
      whole,
      this.log.filter(op => op.seq > seq).map(({ op }) => copyOf(op))
    );
    if (this.logId !== null) {
      whole.metadata.notebook_bcc = {
        log_id: this.logId,
        applied_seq: this.log.length
      };
    }
    return whole;
  }

  seqOf(content: INotebook): number {
    const ours = content.metadata.notebook_bcc as
      { applied_seq: number } | undefined;
    return ours?.applied_seq ?? 0;
  }
}

/** A tab with the notebook open, between a real model and the fake server. */
export class Tab {
  constructor(readonly server: FakeServer) {
    server.tabs.push(this);
    this.model = modelOf(server.file);
    this.context = fakeContext(this);
    const api: Partial<Record<keyof NotebookApi, unknown>> = {
      check: (request: { base_hash: string }) =>
        Promise.resolve(server.state(null, request.base_hash === server.hash)),
      pull: () => {
        this.pulls += 1;
        const { file } = server;
        const content = server.upToDate(file, server.seqOf(file));
        return Promise.resolve(server.state(content, true));
      },
      save: (request: SaveRequest) => this._save(request)
    };
    this.live = new LiveNotebook(
      this.context as never,
      this as unknown as Client,
      api as unknown as NotebookApi
    );
  }

  readonly model: NotebookModel;
  readonly live: LiveNotebook;
  readonly said: ClientMessage[] = [];
  pulls = 0;

  // -- the tab's client -----------------------------------------------------------------------

  connection: Connection = 'connected';
  readonly connectionChanged = new Signal<this, Connection>(this);
  readonly notebookNews = new Signal<this, NotebookMessage>(this);

  send(message: ClientMessage): boolean {
    this.said.push(message);
    if (message.type === 'attach') {
      const { logId, log, path } = this.server;
      this.hear({
        type: 'attached',
        path,
        log_id: logId,
        head_seq: log.length
      });
      const known = message.log_id === logId ? message.applied_seq : 0;
      const missing = log.filter(({ seq }) => seq > known);
      if (missing.length > 0) {
        this.hear(this.server.operations(missing));
      }
    }
    return true;
  }

  hear(message: NotebookMessage): void {
    this.notebookNews.emit(message);
  }

  come(connection: Connection): void {
    this.connection = connection;
    this.connectionChanged.emit(connection);
  }

  // -- the tab's JupyterLab -------------------------------------------------------------------

  readonly context: FakeContext;

  /** What the person does, after everything that has arrived is in the page. */
  async save(): Promise<void> {
    const { context } = this;
    context.saveState.emit('started');
    await this.live.check();
    const saved = await this.live.save();
    context.contentsModel = { ...context.contentsModel, ...saved };
    this.model.dirty = false;
    context.saveState.emit('completed');
  }

  type(cellId: string, source: string): void {
    const cells = this.model.sharedModel.cells;
    cells.find(({ id }) => id === cellId)!.source = source;
  }

  get content(): INotebook {
    return this.model.sharedModel.toJSON() as unknown as INotebook;
  }

  get sources(): string[] {
    return this.content.cells.map(({ source }) => source);
  }

  private async _save(request: SaveRequest): Promise<NotebookState> {
    const { server } = this;
    await Promise.resolve();
    server.duringSave();
    if (request.base_hash !== server.hash) {
      throw new StaleBaseError('somebody else saved it');
    }
    const content = request.content as unknown as INotebook;
    const whole = server.upToDate(content, request.applied_seq);
    server.rewrite(whole, 'tab', this);
    return server.state(null, true);
  }
}

type FakeContext = ReturnType<typeof fakeContext>;

/** As much of a document's context as is looked at. */
function fakeContext(tab: Tab) {
  const { path, hash } = tab.server;
  const known: Partial<Contents.IModel> = { path, hash, last_modified: hash };
  return {
    path,
    model: tab.model,
    contentsModel: known,
    pathChanged: new Signal<object, string>(tab),
    saveState: new Signal<object, string>(tab),
    save: () => tab.save()
  };
}

/** Let timers and promises that are due come to their end. */
export async function settled(): Promise<void> {
  await new Promise(resolve => setTimeout(resolve, 30));
}
