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
          'A planner breaks your analysis into stages and steps. Each is written and run in your notebook, and changes to the plan wait for you.'
        )}
      </p>
    </section>
  );
}
