import type { LoggedOp } from '../protocol';

/**
 * Operations on their way into the page.
 *
 * What arrives while the page is busy is gathered into one batch: after each batch the page is
 * left to its user for as long as the batch took.
 */
export class Inbox {
  constructor(private readonly _apply: (ops: LoggedOp[]) => void) {}

  put(ops: readonly LoggedOp[]): void {
    this._waiting.push(...ops);
    if (this._timer === undefined) {
      const pause = Math.max(0, this._freeAt - performance.now());
      this._timer = window.setTimeout(() => {
        this.empty();
      }, pause);
    }
  }

  /** Apply what is there now. */
  empty(): void {
    const ops = this._waiting;
    this.clear();
    if (ops.length > 0) {
      const started = performance.now();
      this._apply(ops);
      const ended = performance.now();
      this._freeAt = ended + (ended - started);
    }
  }

  clear(): void {
    window.clearTimeout(this._timer);
    this._timer = undefined;
    this._waiting = [];
  }

  private _waiting: LoggedOp[] = [];
  private _timer: number | undefined;
  private _freeAt = 0;
}

/** One thing after the other, whether the one before worked or not. */
export class Turns {
  async take<T>(work: () => Promise<T>): Promise<T> {
    const turn = this._last.then(work);
    this._last = turn.catch(() => undefined);
    return await turn;
  }

  private _last: Promise<unknown> = Promise.resolve();
}
