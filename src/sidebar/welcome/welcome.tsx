import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';

export interface IWelcomeProps {
  trans: TranslationBundle;
}

/**
 * What a newcomer reads as long as there is no run.
 */
export function Welcome({ trans }: IWelcomeProps): React.JSX.Element {
  return (
    <section className="bcc-Welcome" aria-labelledby="bcc-welcome-title">
      <h3 className="bcc-Welcome-title" id="bcc-welcome-title">
        {trans.__('From a goal to a finished notebook')}
      </h3>
      <p className="bcc-Welcome-lead">
        {trans.__(
          'A planner breaks your data analysis into stages and steps. Each step is written and run here, in the notebook you have open.'
        )}
      </p>
      <ol className="bcc-Steps">
        <li>
          <strong>{trans.__('You state a goal')}</strong>
          <span>{trans.__('and point to a data file.')}</span>
        </li>
        <li>
          <strong>{trans.__('Cells appear one by one')}</strong>
          <span>{trans.__('and run in the kernel of your notebook.')}</span>
        </li>
        <li>
          <strong>{trans.__('You stay in charge')}</strong>
          <span>
            {trans.__('Changes to the plan wait for your confirmation.')}
          </span>
        </li>
      </ol>
      <p className="bcc-Hint">
        {trans.__(
          'There is no run yet. As soon as one starts, its plan and progress are shown here.'
        )}
      </p>
    </section>
  );
}
