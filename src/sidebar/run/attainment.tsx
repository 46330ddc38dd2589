import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';

import type { RunProgress, RunView } from '../../protocol';
import { useKit } from '../common/kit';

/** How near the run is to its goals (O9): outputs that exist of those expected, and the verdict. */
export function Attainment({
  run
}: {
  run: RunView;
}): React.JSX.Element | null {
  const { trans } = useKit();
  const { attainment, verdict, verdict_level: level } = run.progress;
  const levels: [string, number | null | undefined][] = [
    [trans.__('Stage'), attainment.stages],
    [trans.__('Step'), attainment.steps],
    [trans.__('Group of cells'), attainment.behaviors]
  ];
  const known = levels.flatMap(([name, share]) =>
    typeof share === 'number' ? [{ name, share }] : []
  );
  if (known.length === 0 && verdict === null) {
    return null;
  }
  return (
    <section
      className="bcc-Attainment"
      aria-label={trans.__('Goal attainment')}
    >
      <h3 className="bcc-Label">{trans.__('Goal attainment')}</h3>
      {verdict && <p>{verdictWords(verdict, level, trans)}</p>}
      {known.map(({ name, share }) => (
        <div key={name} className="bcc-Attainment-level">
          <span>{name}</span>
          <div
            className="bcc-Progress-bar"
            role="meter"
            aria-label={trans.__('Expected results of: %1', name)}
            aria-valuenow={Math.round(share * 100)}
            aria-valuemin={0}
            aria-valuemax={100}
          >
            <div
              className="bcc-Progress-done"
              style={{ inlineSize: `${String(share * 100)}%` }}
            />
          </div>
          <span>{`${String(Math.round(share * 100))} %`}</span>
        </div>
      ))}
    </section>
  );
}

/** Only what was judged is said to be reached, at the level that was judged. */
function verdictWords(
  verdict: NonNullable<RunProgress['verdict']>,
  level: RunProgress['verdict_level'],
  trans: TranslationBundle
): string {
  switch (verdict) {
    case 'achieved':
      return reachedWords(level, trans);
    case 'unanswered':
      return trans.__(
        'The planner says: the plan is done, but your goal was not answered.'
      );
    case 'continues':
      return trans.__('The planner says: on the way, more is needed.');
    case 'not_yet':
      return trans.__('The planner says: the goal is not reached yet.');
  }
}

function reachedWords(
  level: RunProgress['verdict_level'],
  trans: TranslationBundle
): string {
  switch (level) {
    case 'workflow':
      return trans.__('The planner says: the goal is reached.');
    case 'stage':
      return trans.__('The planner says: the goal of this stage is reached.');
    case 'step':
    case null:
      return trans.__('The planner says: the goal of this step is reached.');
  }
}
