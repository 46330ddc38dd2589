import type { TranslationBundle } from '@jupyterlab/translation';
import type { CommandRegistry } from '@lumino/commands';
import type { ISignal } from '@lumino/signaling';
import React from 'react';

import type { Files } from '../../notebook/files';
import type { NotebookLink } from '../../notebook/link';
import type { RunFeed } from '../../runs/feed';
import type { Model } from '../../runs/model';
import type { KeptDraft } from '../start/draft';

/** What every panel of the sidebar may need. */
export interface IKit {
  trans: TranslationBundle;
  /** Two letters, as playbooks name their languages. */
  language: string;
  model: Model;
  feed: RunFeed;
  link: NotebookLink;
  files: Files;
  commands: CommandRegistry;
  kept: KeptDraft;
}

export const KitContext = React.createContext<IKit | null>(null);

export function useKit(): IKit {
  const kit = React.useContext(KitContext);
  if (kit === null) {
    throw new Error('rendered outside of the sidebar');
  }
  return kit;
}

/** Render again whenever the signal says so. */
export function useSignal<S, A>(
  signal: ISignal<S, A>,
  matters?: (argument: A) => boolean
): void {
  const [, refresh] = React.useReducer((count: number) => count + 1, 0);
  const wanted = React.useRef(matters);
  React.useEffect(() => {
    const slot = (_: S, argument: A): void => {
      if (wanted.current === undefined || wanted.current(argument)) {
        refresh();
      }
    };
    signal.connect(slot);
    return () => {
      signal.disconnect(slot);
    };
  }, [signal]);
}

/** The time, once a second while `ticking`. */
export function useNow(ticking: boolean): number {
  const [now, setNow] = React.useState(() => Date.now());
  React.useEffect(() => {
    if (!ticking) {
      return undefined;
    }
    const timer = window.setInterval(() => {
      setNow(Date.now());
    }, 1000);
    return () => {
      window.clearInterval(timer);
    };
  }, [ticking]);
  return now;
}
