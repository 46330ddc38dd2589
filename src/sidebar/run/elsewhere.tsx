import { PathExt } from '@jupyterlab/coreutils';
import React from 'react';

import type { RunView } from '../../protocol';
import { useKit } from '../common/kit';
import { ActionButton } from '../common/parts';

/** That the run shown is not the one of the notebook in front, and what else waits for the person. */
export function Elsewhere({ run }: { run: RunView | null }): React.JSX.Element {
  const { trans, model, link } = useKit();
  const others = model.waiting.filter(({ id }) => id !== run?.id);
  const [next] = others;
  const name = PathExt.basename(next?.notebook ?? '');
  const away = model.front !== null && run && run.notebook !== model.front;
  return (
    <>
      {next && (
        <div className="bcc-Notice" role="status" data-testid="bcc-others">
          <p>
            {others.length === 1
              ? trans.__('Another run waits for you: %1', name)
              : trans.__(
                  '%1 other runs wait for you; the newest: %2',
                  String(others.length),
                  name
                )}
          </p>
          <ActionButton
            label={trans.__('Show')}
            hint={trans.__('Open %1 and what it asks', next.notebook)}
            onClick={() => {
              void link.goTo(next);
            }}
          />
        </div>
      )}
      {away && (
        <p className="bcc-Hint">
          {trans.__('This run is in another notebook than the one in front.')}{' '}
          <button
            type="button"
            className="bcc-LinkButton"
            title={run.notebook}
            onClick={() => {
              void link.goTo(run);
            }}
          >
            {trans.__('Open it')}
          </button>
        </p>
      )}
    </>
  );
}
