import type { LoggedOp } from '../protocol';
import { applyOperations, type INotebook } from './notebook-json';

/** More than come while a save or a pull is under way. */
const REMEMBERED = 2_000;

/**
 * What the tab and the file last agreed upon: who changed what is told by comparing with it.
 *
 * Operations belong to both sides, so they are added to the base as well; not before somebody
 * asks, because that is rare.
 */
export class Base {
  constructor(
    /** Names the state of the file. */
    readonly hash: string | null,
    private readonly _content: INotebook,
    private _recent: LoggedOp[] = []
  ) {
    this._waiting = [..._recent];
  }

  /** The tab has applied these. */
  add(ops: readonly LoggedOp[]): void {
    this._recent.push(...ops);
    this._waiting.push(...ops);
    if (this._recent.length > 2 * REMEMBERED) {
      this._settle();
      this._recent = this._recent.slice(-REMEMBERED);
    }
  }

  /** The operations the tab has applied after `seq`. */
  after(seq: number): LoggedOp[] {
    return this._recent.filter(op => op.seq > seq);
  }

  get content(): INotebook {
    this._settle();
    return this._content;
  }

  sourceOf(cellId: string): string | undefined {
    return this.content.cells.find(({ id }) => id === cellId)?.source;
  }

  /** Cells whose text the person has changed: a run neither replaces nor deletes them. */
  rewrittenIn(
    ops: readonly LoggedOp[],
    sourceNow: (cellId: string) => string | undefined
  ): Set<string> {
    const rewritten = new Set<string>();
    for (const { op } of ops) {
      if (op.op === 'source' || op.op === 'delete') {
        const now = sourceNow(op.cell_id);
        if (now !== undefined && now !== this.sourceOf(op.cell_id)) {
          rewritten.add(op.cell_id);
        }
      }
    }
    return rewritten;
  }

  /** The next base, whose content is at `seq` of the log; what came since is added to it. */
  next(hash: string | null, content: INotebook, seq: number): Base {
    return new Base(hash, content, this.after(seq));
  }

  private _settle(): void {
    if (this._waiting.length > 0) {
      const ops = this._waiting.map(({ op }) => op);
      this._waiting = [];
      applyOperations(this._content, ops);
    }
  }

  private _waiting: LoggedOp[];
}
