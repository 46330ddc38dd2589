import type { RunEvent } from '../protocol';

/** The parts of a run that are asked for only while somebody looks at them. */
export type Part = 'activity' | 'transitions' | 'calls' | 'observation';

export const PARTS: readonly Part[] = [
  'activity',
  'transitions',
  'calls',
  'observation'
];

/** After which events a part has something new. */
const CHANGED_BY: Record<Part, ReadonlySet<string>> = {
  activity: new Set(['action', 'transition', 'judgement', 'planner', 'status']),
  transitions: new Set(['transition']),
  calls: new Set(['call']),
  observation: new Set(['judgement', 'action', 'status'])
};

/** What an event means to the browser. */
export interface IRunNews {
  runId: string;
  /** Parts of the run that have something new. */
  parts: readonly Part[];
  /** What the run says about changes of others to its notebook. */
  notebookNotice: string | null;
}

/**
 * The one place that knows the kinds of events and what is in them. What a newer server says
 * besides means nothing here.
 */
export function newsOf(event: RunEvent): IRunNews {
  const { kind, payload, run_id: runId } = event;
  const { about, text } = payload;
  const isNotice = kind === 'notice' && about === 'notebook';
  return {
    runId,
    parts: PARTS.filter(part => CHANGED_BY[part].has(kind)),
    notebookNotice: isNotice && typeof text === 'string' ? text : null
  };
}
