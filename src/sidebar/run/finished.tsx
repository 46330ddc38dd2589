import { codeIcon, notebookIcon } from '@jupyterlab/ui-components';
import React from 'react';

import type { RunView } from '../../protocol';
import { CommandIDs } from '../../tokens';
import { useKit } from '../common/kit';
import { ActionButton } from '../common/parts';
import { commandNames } from '../words';

/** The end: what was made, and the way to it. */
export function Finished({ run }: { run: RunView }): React.JSX.Element {
  const { trans, link, commands } = useKit();
  const { counts } = run;
  const toggleCode = async (): Promise<void> => {
    await link.open(run.notebook);
    await commands.execute(CommandIDs.toggleCode);
  };
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
      <div className="bcc-Actions">
        <ActionButton
          kind="primary"
          icon={notebookIcon}
          label={trans.__('Open the answer')}
          hint={trans.__('Go to where the run’s part of the notebook begins')}
          onClick={() => {
            void link.showAnswer(run);
          }}
        />
        <ActionButton
          icon={codeIcon}
          label={commandNames.toggleCode(trans)}
          hint={trans.__(
            'Show or hide the code of the cells that runs wrote; yours stay as they are'
          )}
          onClick={() => {
            void toggleCode();
          }}
        />
      </div>
    </section>
  );
}
