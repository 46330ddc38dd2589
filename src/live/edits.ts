import type { IDisposable } from '@lumino/disposable';

/** As many ids as the server takes in one message. */
const AT_ONCE = 200;

/**
 * Which code cells of a run the person has changed or deleted here.
 *
 * The server hears of each once, and asks for it when the run is about to execute it: what is run
 * is then what the person sees, saved or not.
 */
export class UnsavedEdits implements IDisposable {
  constructor(private readonly _tell: (cellIds: string[]) => void) {}

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  dispose(): void {
    this._isDisposed = true;
    window.clearTimeout(this._timer);
  }

  note(cellId: string): void {
    if (!this._told.has(cellId)) {
      this._told.add(cellId);
      this._untold.add(cellId);
      this._tellSoon();
    }
  }

  /** A new connection to the server knows nothing of them. */
  tellAgain(): void {
    this._told.forEach(id => this._untold.add(id));
    this._tellSoon();
  }

  /** The server asks for this one; it wants to hear of what is changed from now on. */
  asked(cellId: string): void {
    this._told.delete(cellId);
  }

  /** All that one change touches goes in one message. */
  private _tellSoon(): void {
    this._timer ??= window.setTimeout(() => {
      this._timer = undefined;
      const ids = [...this._untold];
      this._untold.clear();
      for (let start = 0; start < ids.length; start += AT_ONCE) {
        this._tell(ids.slice(start, start + AT_ONCE));
      }
    }, 0);
  }

  private readonly _told = new Set<string>();
  private readonly _untold = new Set<string>();
  private _timer: number | undefined;
  private _isDisposed = false;
}
