import type { RunView } from '../protocol';

/**
 * The runs with `run` in its place, or as the newest. The answer to a command may come after news
 * that are newer: what is older than what is known is left out.
 */
export function withRun(
  runs: readonly RunView[],
  run: RunView
): readonly RunView[] {
  const known = runs.find(({ id }) => id === run.id);
  if (known === undefined) {
    return [run, ...runs];
  }
  return isOlder(run, known)
    ? runs
    : runs.map(other => (other === known ? run : other));
}

/** The server counts the changes of a run; one that does not yet is believed by its clock. */
function isOlder(one: RunView, other: RunView): boolean {
  const [mine, theirs] = [revisionOf(one), revisionOf(other)];
  return mine === null || theirs === null
    ? one.updated_at < other.updated_at
    : mine < theirs;
}

function revisionOf(view: object): number | null {
  const { revision } = view as { revision?: unknown };
  return typeof revision === 'number' ? revision : null;
}
