import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';

import type { RunView } from '../../protocol';
import type { RowStatus } from '../../runs/tree';
import { nodeWords, statusWords } from '../words';

type Sign = RowStatus | 'paused' | 'waiting';

/** Shapes, not only colours: they are told apart in any theme and by any eye. */
const PATHS: Record<Sign, string> = {
  pending: 'M8 3a5 5 0 1 1 0 10A5 5 0 0 1 8 3',
  running: 'M8 2.5a5.5 5.5 0 0 1 5.5 5.5',
  done: 'M3.5 8.5l3 3 6-7',
  skipped: 'M4 4l4 4-4 4M9 4l4 4-4 4',
  failed: 'M4.5 4.5l7 7M11.5 4.5l-7 7',
  paused: 'M6 4v8M10 4v8',
  waiting: 'M8 3.5v5.5M8 12v.2',
  cancelled: 'M4.5 8h7'
};

export function StatusIcon({ status }: { status: Sign }): React.JSX.Element {
  return (
    <svg
      className="bcc-StatusIcon"
      data-status={status}
      viewBox="0 0 16 16"
      aria-hidden="true"
    >
      {status === 'running' && (
        <circle className="bcc-StatusIcon-ring" cx="8" cy="8" r="5.5" />
      )}
      <path d={PATHS[status]} />
    </svg>
  );
}

export function signOf(status: RunView['status']): Sign {
  return status;
}

export function NodeStatus(props: {
  status: RowStatus;
  trans: TranslationBundle;
}): React.JSX.Element {
  return (
    <>
      <StatusIcon status={props.status} />
      <span className="bcc-Spoken">{nodeWords(props.status, props.trans)}</span>
    </>
  );
}

export function RunStatus(props: {
  status: RunView['status'];
  trans: TranslationBundle;
}): React.JSX.Element {
  return (
    <span className="bcc-RunStatus" data-status={props.status}>
      <StatusIcon status={signOf(props.status)} />
      {statusWords(props.status, props.trans)}
    </span>
  );
}
