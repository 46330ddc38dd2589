import type { IDisposable } from '@lumino/disposable';
import { Signal, type ISignal } from '@lumino/signaling';

import type { ICall, IObservation, ITransition } from './api';
import type { Model } from './model';
import type { ActivityNode, RunEvent } from './protocol';
import { Tree } from './tree';

/** The parts of a run that are asked for only while somebody looks at them. */
export type Part = 'activity' | 'transitions' | 'calls' | 'observation';

/** After which events a part has something new. */
const NEWS: Record<Part, ReadonlySet<string>> = {
  activity: new Set(['action', 'transition', 'judgement', 'planner', 'status']),
  transitions: new Set(['transition']),
  calls: new Set(['call']),
  observation: new Set(['judgement', 'action', 'status'])
};

/** News that come together are fetched together. */
const GATHER_MS = 250;
/** Reading the kernel's variables is not free for the kernel. */
const OBSERVE_MS = 1500;

/**
 * The details of the selected run. Each fetch asks only for what is new, so that the work per
 * event does not grow with the run.
 */
export class RunFeed implements IDisposable {
  constructor(private readonly _model: Model) {
    _model.stateChanged.connect(this._follow, this);
    _model.eventReceived.connect(this._onEvent, this);
  }

  readonly tree = new Tree();
  transitions: readonly ITransition[] = [];
  calls: readonly ICall[] = [];
  observation: IObservation | null = null;

  get changed(): ISignal<this, Part> {
    return this._changed;
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  /** Keep a part up to date until the result is called. */
  watch(part: Part): () => void {
    this._watched.set(part, (this._watched.get(part) ?? 0) + 1);
    this._want(part);
    return () => {
      this._watched.set(part, (this._watched.get(part) ?? 1) - 1);
    };
  }

  dispose(): void {
    if (this._isDisposed) {
      return;
    }
    this._isDisposed = true;
    window.clearTimeout(this._timer);
    this._model.stateChanged.disconnect(this._follow, this);
    this._model.eventReceived.disconnect(this._onEvent, this);
    Signal.clearData(this);
  }

  private _follow(): void {
    const id = this._model.selected?.id ?? null;
    const online = this._model.connection === 'connected';
    const cameBack = online && !this._online;
    this._online = online;
    if (id !== this._runId) {
      this._runId = id;
      this.tree.clear();
      this.transitions = [];
      this.calls = [];
      this.observation = null;
      this._epoch = 0;
    } else if (!cameBack) {
      return;
    }
    // What was said while nobody listened is asked for.
    for (const part of Object.keys(NEWS) as Part[]) {
      this._want(part);
    }
  }

  private _onEvent(_: Model, event: RunEvent): void {
    if (event.run_id !== this._runId) {
      return;
    }
    for (const part of Object.keys(NEWS) as Part[]) {
      if (NEWS[part].has(event.kind)) {
        this._want(part);
      }
    }
  }

  private _want(part: Part): void {
    this._wanted.add(part);
    if (this._timer === undefined && !this._isDisposed) {
      this._timer = window.setTimeout(() => {
        void this._fetchWanted();
      }, GATHER_MS);
    }
  }

  private async _fetchWanted(): Promise<void> {
    const runId = this._runId;
    const parts = [...this._wanted].filter(
      part => (this._watched.get(part) ?? 0) > 0
    );
    this._wanted.clear();
    for (const part of parts) {
      if (runId === null) {
        break;
      }
      try {
        await this._fetch(part, runId);
      } catch (reason) {
        // The next event asks again; the run itself is shown all the same.
        console.debug(`notebook-bcc: no ${part} of run ${runId}`, reason);
      }
      if (this._isDisposed) {
        return;
      }
      if (runId === this._runId) {
        this._changed.emit(part);
      }
    }
    this._timer = undefined;
    const [next] = this._wanted;
    if (next !== undefined) {
      this._want(next);
    }
  }

  private async _fetch(part: Part, runId: string): Promise<void> {
    const { api } = this._model;
    switch (part) {
      case 'activity': {
        const { epoch, nodes } = await api.activity(runId, this.tree.revision);
        if (runId === this._runId) {
          this._grow(epoch, nodes);
        }
        return;
      }
      case 'transitions': {
        const after = this.transitions.at(-1)?.number ?? 0;
        const more = await api.transitions(runId, after);
        if (runId === this._runId && more.length > 0) {
          this.transitions = [...this.transitions, ...more];
        }
        return;
      }
      case 'calls': {
        const after = this.calls.at(-1)?.number ?? 0;
        const more = await api.calls(runId, after);
        if (runId === this._runId && more.length > 0) {
          this.calls = [...this.calls, ...more];
        }
        return;
      }
      case 'observation': {
        if (Date.now() - this._observedAt < OBSERVE_MS) {
          this._later('observation');
          return;
        }
        this._observedAt = Date.now();
        const observation = await api.observation(runId);
        if (runId === this._runId) {
          this.observation = observation;
        }
        return;
      }
    }
  }

  private _grow(epoch: number, nodes: readonly ActivityNode[]): void {
    if (epoch !== this._epoch) {
      this._epoch = epoch;
      this.tree.clear();
      this._want('activity');
      return;
    }
    this.tree.add(nodes);
  }

  private _later(part: Part): void {
    window.setTimeout(() => {
      this._want(part);
    }, OBSERVE_MS);
  }

  private readonly _changed = new Signal<this, Part>(this);
  private readonly _watched = new Map<Part, number>();
  private readonly _wanted = new Set<Part>();
  private _runId: string | null = null;
  private _epoch = 0;
  private _online = false;
  private _observedAt = 0;
  private _timer: number | undefined;
  private _isDisposed = false;
}
