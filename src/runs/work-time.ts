import type { ActivityNode, RunView } from '../protocol';

type Worked =
  | Pick<RunView, 'created_at' | 'ended_at' | 'rested_ms'>
  | Pick<ActivityNode, 'started_at' | 'ended_at' | 'rested_ms'>;

/** Until when there was work in the run, in milliseconds: while it rests, its clock stands. */
export function workClock(
  run: Pick<RunView, 'ended_at' | 'resting_since'>,
  now: number
): number {
  const stops = [run.ended_at, run.resting_since].filter(at => at !== null);
  return Math.min(now, ...stops.map(at => Date.parse(at)));
}

/**
 * How long was worked at a run or a part of it: without the waiting for the person, the pauses
 * and the time without a server. The server keeps count of those.
 */
export function workedMs(what: Worked, clock: number): number {
  const began = 'created_at' in what ? what.created_at : what.started_at;
  const ended =
    what.ended_at === null ? clock : Math.min(clock, Date.parse(what.ended_at));
  return Math.max(0, ended - Date.parse(began) - what.rested_ms);
}
