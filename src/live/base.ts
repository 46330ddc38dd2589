import type { NotebookLog } from './log';
import { applyOperations, type INotebook } from './notebook-json';

/**
 * What the tab and the file last agreed upon: who changed what is told by comparing with it.
 *
 * Operations belong to both sides, so those that the tab applies are added to the base as well;
 * not before somebody asks, because that is rare.
 */
export class Base {
  constructor(
    /** Names the state of the file. */
    readonly hash: string | null,
    private readonly _content: INotebook,
    private readonly _log: Pick<NotebookLog, 'count' | 'since'>
  ) {
    this._added = _log.count;
  }

  get content(): INotebook {
    this.settle();
    return this._content;
  }

  sourceOf(cellId: string): string | undefined {
    return this.content.cells.find(({ id }) => id === cellId)?.source;
  }

  /** Add what the tab has applied since. */
  settle(): void {
    const ops = this._log.since(this._added);
    this._added += ops.length;
    if (ops.length > 0) {
      applyOperations(
        this._content,
        ops.map(({ op }) => op)
      );
    }
  }

  /** How many operations of the tab are in it. */
  private _added: number;
}
