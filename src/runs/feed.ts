import type { IDisposable } from '@lumino/disposable';
import { Signal, type ISignal } from '@lumino/signaling';

import type { ICall, IObservation, ITransition } from '../connection/api';
import { PARTS, type IRunNews, type Part } from './events';
import type { Model } from './model';
import { Tree } from './tree';

/** News that come together are fetched together; reading variables costs the kernel time. */
const GATHER_MS: Record<Part, number> = {
  activity: 250,
  transitions: 250,
  calls: 250,
  observation: 1500
};

/** What one answer brings at most: small enough that the page stays responsive. */
const PAGE: Record<'activity' | 'transitions' | 'calls', number> = {
  activity: 500,
  transitions: 500,
  calls: 20
};

/** What is kept at most, newest first to stay; the server keeps no more calls either. */
const KEPT = { transitions: 5_000, calls: 500 };

interface ISlot {
  watchers: number;
  wanted: boolean;
  busy: boolean;
  timer: number | undefined;
}

/**
 * The details of the selected run. Each fetch asks only for what is new, so that the work per
 * event does not grow with the run; a slow part keeps none of the others waiting.
 */
export class RunFeed implements IDisposable {
  constructor(private readonly _model: Model) {
    _model.stateChanged.connect(this._follow, this);
    _model.happened.connect(this._onNews, this);
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
    const slot = this._slots[part];
    slot.watchers += 1;
    this._want(part, 0);
    return () => {
      slot.watchers -= 1;
    };
  }

  dispose(): void {
    if (this._isDisposed) {
      return;
    }
    this._isDisposed = true;
    for (const part of PARTS) {
      window.clearTimeout(this._slots[part].timer);
    }
    this._model.stateChanged.disconnect(this._follow, this);
    this._model.happened.disconnect(this._onNews, this);
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
    for (const part of PARTS) {
      this._want(part, 0);
    }
  }

  private _onNews(_: Model, { runId, parts }: IRunNews): void {
    if (runId === this._runId) {
      for (const part of parts) {
        this._want(part);
      }
    }
  }

  private _want(part: Part, waitMs = GATHER_MS[part]): void {
    const slot = this._slots[part];
    slot.wanted = true;
    if (slot.timer !== undefined || slot.busy || slot.watchers === 0) {
      return;
    }
    slot.timer = window.setTimeout(() => {
      slot.timer = undefined;
      void this._refresh(part, slot);
    }, waitMs);
  }

  private async _refresh(part: Part, slot: ISlot): Promise<void> {
    const runId = this._runId;
    if (runId === null || this._isDisposed) {
      return;
    }
    slot.wanted = false;
    slot.busy = true;
    let more = false;
    try {
      more = await this._fetch(part, runId);
    } catch (reason) {
      // The next event asks again; the run itself is shown all the same.
      console.debug(`notebook-bcc: no ${part} of run ${runId}`, reason);
    }
    slot.busy = false;
    this._fetched(part, runId, more);
  }

  private _fetched(part: Part, runId: string, more: boolean): void {
    if (this._isDisposed) {
      return;
    }
    const current = runId === this._runId;
    if (current) {
      this._changed.emit(part);
    }
    if (more || !current) {
      this._want(part, 0);
    } else if (this._slots[part].wanted) {
      this._want(part);
    }
  }

  /** Whether there is more to fetch at once. */
  private async _fetch(part: Part, runId: string): Promise<boolean> {
    switch (part) {
      case 'activity':
        return await this._fetchActivity(runId);
      case 'transitions': {
        const after = this.transitions.at(-1)?.number ?? 0;
        const { api } = this._model;
        const more = await api.transitions(runId, after, PAGE.transitions);
        if (runId === this._runId && more.length > 0) {
          this.transitions = newest(this.transitions, more, KEPT.transitions);
        }
        return more.length === PAGE.transitions;
      }
      case 'calls': {
        const after = this.calls.at(-1)?.number ?? 0;
        const more = await this._model.api.calls(runId, after, PAGE.calls);
        if (runId === this._runId && more.length > 0) {
          this.calls = newest(this.calls, more, KEPT.calls);
        }
        return more.length === PAGE.calls;
      }
      case 'observation': {
        const observation = await this._model.api.observation(runId);
        if (runId === this._runId) {
          this.observation = observation;
        }
        return false;
      }
    }
  }

  private async _fetchActivity(runId: string): Promise<boolean> {
    const { tree } = this;
    const { epoch, nodes } = await this._model.api.activity(
      runId,
      tree.revision,
      PAGE.activity
    );
    if (runId !== this._runId) {
      return false;
    }
    if (epoch !== this._epoch) {
      this._epoch = epoch;
      const known = tree.revision > 0;
      tree.clear();
      if (known) {
        // What came is only what is new to the tree of before.
        return true;
      }
    }
    tree.add(nodes);
    return nodes.length === PAGE.activity;
  }

  private readonly _changed = new Signal<this, Part>(this);
  private readonly _slots: Record<Part, ISlot> = {
    activity: emptySlot(),
    transitions: emptySlot(),
    calls: emptySlot(),
    observation: emptySlot()
  };
  private _runId: string | null = null;
  private _epoch = 0;
  private _online = false;
  private _isDisposed = false;
}

function emptySlot(): ISlot {
  return { watchers: 0, wanted: false, busy: false, timer: undefined };
}

function newest<T>(known: readonly T[], more: readonly T[], kept: number): T[] {
  return [...known, ...more].slice(-kept);
}
