import React from 'react';

import type { RunView } from '../../protocol';
import { useKit } from '../common/kit';

/** The planner's own words about where the run is: what it looks at, and what for. */
export function PlannerWords({
  run
}: {
  run: RunView;
}): React.JSX.Element | null {
  const { trans } = useKit();
  const { focus, goals } = run.progress;
  const said: [string, string | null | undefined][] = [
    [trans.__('Stage'), goals.stage],
    [trans.__('Step'), focus.steps ?? goals.step],
    [trans.__('Now'), focus.behaviors ?? goals.behavior]
  ];
  const shown =
    run.status === 'done'
      ? []
      : said.filter(([, text]) => Boolean(text?.trim()));
  if (shown.length === 0 && !run.goal) {
    return null;
  }
  return (
    <section
      className="bcc-Words"
      aria-label={trans.__('What the planner says')}
    >
      <dl className="bcc-Facts">
        {run.goal && (
          <div>
            <dt>{trans.__('Your goal')}</dt>
            <dd>{run.goal}</dd>
          </div>
        )}
        {shown.map(([label, text]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
