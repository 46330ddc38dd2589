import React from 'react';

import type { RunError, RunView } from '../../protocol';
import { Code } from '../common/code';
import { useKit } from '../common/kit';
import { ActionButton, Fold } from '../common/parts';
import { errorWords } from '../error-words';
import { giveCommand } from '../give-command';
import { commandWords, type CommandName } from '../words';

const REMEDIES: readonly CommandName[] = ['debug', 'retry', 'restart', 'reset'];

export interface IErrorCardProps {
  run: RunView;
  error: RunError;
}

/** What went wrong, where, what it said, and every way on with what it does. */
export function ErrorCard({ run, error }: IErrorCardProps): React.JSX.Element {
  const { trans, model, link } = useKit();
  const title = React.useId();
  const place = placeOf(run, error);
  const remedies = REMEDIES.filter(one => run.allowed_commands.includes(one));
  return (
    <section
      className="bcc-Error"
      data-status={run.status}
      aria-labelledby={title}
      data-testid="bcc-error"
    >
      <h3 id={title} role="alert">
        {errorWords(error.kind, trans)}
      </h3>
      <p className="bcc-Error-message">{error.message}</p>
      {place && (
        <p className="bcc-Error-place">
          {trans.__('In %1', place)}
          {error.cell_id && (
            <button
              type="button"
              className="bcc-LinkButton"
              onClick={() => {
                void link.reveal(run.notebook, {
                  run: run.id,
                  stage: '',
                  cellId: error.cell_id
                });
              }}
            >
              {trans.__('Show the cell')}
            </button>
          )}
        </p>
      )}
      {error.traceback && (
        <Fold title={trans.__('Output')}>
          {() => (
            <Code
              label={trans.__('Output')}
              text={readable(error.traceback ?? '')}
            />
          )}
        </Fold>
      )}
      {remedies.length > 0 && (
        <ul className="bcc-Remedies" aria-label={trans.__('Ways to go on')}>
          {remedies.map((command, index) => {
            const { label, effect } = commandWords(command, trans);
            return (
              <li key={command}>
                <ActionButton
                  kind={index === 0 ? 'primary' : 'plain'}
                  label={label}
                  hint={effect}
                  onClick={() => {
                    void giveCommand(model, run, { command }, trans);
                  }}
                />
                <span>{effect}</span>
              </li>
            );
          })}
        </ul>
      )}
    </section>
  );
}

function placeOf(run: RunView, error: RunError): string {
  const { stage_id: stageId, step_id: stepId } = error.location;
  const stage = run.progress.stages.find(({ id }) => id === stageId);
  const step = stage?.steps.find(({ id }) => id === stepId);
  return [stage?.name, step?.name].filter(Boolean).join(' › ');
}

/** A kernel's traceback without what is for terminals: colours, and a rule of their width. */
function readable(traceback: string): string {
  return traceback.replace(/\u001b\[[0-9;]*m/g, '').replace(/^-{20,}\n/, '');
}
