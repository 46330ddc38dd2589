import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';

import type { State } from '../../protocol';
import type { Connection } from '../../tokens';
import { connectionWords, stateWords } from '../words';

export interface IConnectionProps {
  connection: Connection;
  trans: TranslationBundle;
}

export function ConnectionBadge(props: IConnectionProps): React.JSX.Element {
  const { connection, trans } = props;
  return (
    <span
      className="bcc-Connection"
      data-connection={connection}
      data-testid="bcc-connection"
      role="status"
      aria-label={trans.__(
        'Connection to the server: %1',
        connectionWords(connection, trans)
      )}
    >
      <span className="bcc-Connection-dot" aria-hidden="true" />
      {connectionWords(connection, trans)}
    </span>
  );
}

export interface IStateProps {
  state: State | null;
  trans: TranslationBundle;
}

export function StateCard(props: IStateProps): React.JSX.Element {
  const { state, trans } = props;
  const words =
    state === null
      ? trans.__('Waiting for the server')
      : stateWords(state, trans);
  return (
    <section
      className="bcc-State"
      data-testid="bcc-state"
      data-state={state ?? undefined}
      aria-label={trans.__('State')}
    >
      <h3 className="bcc-Label">{trans.__('State')}</h3>
      <p className="bcc-State-words" role="status">
        {words}
      </p>
    </section>
  );
}
