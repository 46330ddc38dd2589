import type { RunEvent } from '../protocol';

/** What happened in a run, by its kind. */
export type News = RunEvent['news'];
type Kind = News['kind'];

/** The parts of a run that are asked for only while somebody looks at them. */
export type Part = 'activity' | 'transitions' | 'calls' | 'observation';

export const PARTS: readonly Part[] = [
  'activity',
  'transitions',
  'calls',
  'observation'
];

/** After which news a part has something new. */
const CHANGED_BY: Record<Part, ReadonlySet<Kind>> = {
  activity: new Set<Kind>([
    'action_began',
    'action_ended',
    'action_undone',
    'transition',
    'judged',
    'planner_called',
    'rest_began',
    'rest_ended',
    'status',
    'reset'
  ]),
  transitions: new Set<Kind>(['transition']),
  calls: new Set<Kind>(['call_ended']),
  observation: new Set<Kind>(['judged', 'action_ended', 'status'])
};

/** What an event means to the browser. */
export interface IRunNews {
  runId: string;
  /** Parts of the run that have something new. */
  parts: readonly Part[];
  /** What the run says about changes of others to its notebook. */
  notebookNotice: string | null;
}

/** The one place that knows the kinds of news and what is in them. */
export function newsOf({ news, run_id: runId }: RunEvent): IRunNews {
  return {
    runId,
    parts: PARTS.filter(part => CHANGED_BY[part].has(news.kind)),
    notebookNotice:
      news.kind === 'notice' && news.of_notebook ? news.text : null
  };
}
