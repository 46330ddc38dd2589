import { notebookIcon } from '@jupyterlab/ui-components';
import React from 'react';

import type { RunView } from '../../protocol';
import { useKit } from '../common/kit';
import { ActionButton } from '../common/parts';

/** The end: what was made, and the way to it. */
export function Finished({ run }: { run: RunView }): React.JSX.Element {
  const { trans, link } = useKit();
  const { counts } = run;
  return (
    <section className="bcc-Finished" aria-label={trans.__('Result')}>
      <p>
        {trans.__(
          '%1 cells written, %2 run, in %3 planner calls.',
          String(counts.cells_added),
          String(counts.cells_executed),
          String(counts.planner_calls)
        )}
      </p>
      <ActionButton
        kind="primary"
        icon={notebookIcon}
        label={trans.__('Open the notebook')}
        onClick={() => {
          void link.open(run.notebook);
        }}
      />
    </section>
  );
}
