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
  return run.revision < known.revision
    ? runs
    : runs.map(other => (other === known ? run : other));
}
