/** One thing after the other, whether the one before worked or not. */
export class Turns {
  async take<T>(work: () => Promise<T>): Promise<T> {
    const turn = this._last.then(work);
    this._last = turn.catch(() => undefined);
    return await turn;
  }

  private _last: Promise<unknown> = Promise.resolve();
}
