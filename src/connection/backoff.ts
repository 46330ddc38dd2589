/**
 * How long to wait before the next attempt: doubling up to a ceiling, half of it random.
 *
 * The random half keeps many browsers from coming back in the same instant after a restart.
 */
export interface IBackoffOptions {
  firstMs: number;
  ceilingMs: number;
  random?: () => number;
}

export class Backoff {
  constructor(private readonly options: IBackoffOptions) {}

  next(): number {
    const { firstMs, ceilingMs, random = Math.random } = this.options;
    const full = Math.min(ceilingMs, firstMs * 2 ** this._attempts);
    if (full < ceilingMs) {
      this._attempts += 1;
    }
    return full / 2 + (full / 2) * random();
  }

  reset(): void {
    this._attempts = 0;
  }

  private _attempts = 0;
}
