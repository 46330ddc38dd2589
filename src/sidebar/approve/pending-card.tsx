import { checkIcon, closeIcon, editIcon } from '@jupyterlab/ui-components';
import React from 'react';

import type { NewCommand } from '../../connection/api';
import type { Pending, RunView } from '../../protocol';
import { Code } from '../common/code';
import { useKit } from '../common/kit';
import { ActionButton } from '../common/parts';
import { giveCommand } from '../give-command';
import { pendingWords } from '../plan-words';
import { commandWords } from '../words';
import { ChangeList, Compare } from './changes';
import { editedContent, isEditable, planOf, type EditPlan } from './plan-edit';
import { PlanEditor } from './plan-editor';

export interface IPendingCardProps {
  run: RunView;
  pending: Pending;
}

/** The one thing that must not be overlooked: the run waits for a decision. */
export function PendingCard(props: IPendingCardProps): React.JSX.Element {
  const { run, pending } = props;
  const { trans, model } = useKit();
  const [mode, setMode] = React.useState<'ask' | 'reject' | 'edit'>('ask');
  const [plan, setPlan] = React.useState<EditPlan>([]);
  const asked = codeOf(pending);
  const [code, setCode] = React.useState(asked ?? '');
  const [reason, setReason] = React.useState('');
  const [busy, setBusy] = React.useState(false);
  const title = React.useId();

  const answer = async (given: NewCommand): Promise<void> => {
    const command = { ...given, proposal_id: pending.id };
    setBusy(true);
    await giveCommand(model, run, command, trans);
    setBusy(false);
  };
  const confirm = (): void => {
    const edited =
      asked === null ? editedContent(pending, plan) : { source: code };
    void answer({
      command: 'confirm',
      edited: mode === 'edit' ? edited : null
    });
  };
  const editedLabel =
    asked === null
      ? trans.__('Confirm the edited plan')
      : trans.__('Run the edited code');
  const confirmLabel =
    mode === 'edit' ? editedLabel : commandWords('confirm', trans).label;
  const { reason: why } = pending.content;
  return (
    <section
      className="bcc-Pending"
      aria-labelledby={title}
      data-testid="bcc-pending"
    >
      <div className="bcc-Pending-heading">
        <span className="bcc-Pending-badge">{trans.__('Waiting for you')}</span>
        <h3 id={title} role="alert">
          {pendingWords(pending.kind, trans)}
        </h3>
      </div>
      {typeof why === 'string' && why.trim() && (
        <p className="bcc-Quote">{why}</p>
      )}
      {mode === 'edit' && asked !== null ? (
        <textarea
          className="bcc-Input bcc-CodeInput"
          aria-label={trans.__('Code')}
          rows={Math.min(20, code.split('\n').length + 1)}
          spellCheck={false}
          value={code}
          onChange={event => {
            setCode(event.target.value);
          }}
        />
      ) : mode === 'edit' ? (
        <PlanEditor
          plan={plan}
          stages={pending.kind !== 'steps'}
          onChange={setPlan}
        />
      ) : isEditable(pending.kind) ? (
        <ChangeList pending={pending} />
      ) : (
        <Question pending={pending} />
      )}
      {mode === 'reject' && (
        <div className="bcc-Field">
          <label className="bcc-Field-label" htmlFor={`${title}-reason`}>
            {trans.__('Reason for the planner (optional)')}
          </label>
          <textarea
            id={`${title}-reason`}
            className="bcc-Input"
            rows={2}
            value={reason}
            onChange={event => {
              setReason(event.target.value);
            }}
          />
          {pending.kind === 'steps' && (
            <p className="bcc-Field-hint">
              {trans.__(
                'Without these steps the run stops; you then choose how to go on.'
              )}
            </p>
          )}
        </div>
      )}
      <div className="bcc-Actions">
        {mode === 'reject' ? (
          <ActionButton
            kind="danger"
            icon={closeIcon}
            label={trans.__('Reject the proposal')}
            hint={trans.__('Nothing of it happens; the planner is told.')}
            disabled={busy}
            onClick={() => {
              void answer({ command: 'reject', reason: reason.trim() || null });
            }}
          />
        ) : (
          <ActionButton
            kind="primary"
            icon={checkIcon}
            label={confirmLabel}
            hint={commandWords('confirm', trans).effect}
            disabled={busy}
            testId="bcc-confirm"
            onClick={confirm}
          />
        )}
        {mode === 'ask' ? (
          <>
            <ActionButton
              label={commandWords('reject', trans).label}
              hint={commandWords('reject', trans).effect}
              disabled={busy}
              onClick={() => {
                setMode('reject');
              }}
            />
            {(isEditable(pending.kind) || asked !== null) && (
              <ActionButton
                icon={editIcon}
                label={trans.__('Edit')}
                hint={trans.__(
                  'Change it before you confirm; nothing is sent yet.'
                )}
                disabled={busy}
                onClick={() => {
                  setPlan(planOf(pending, pending.content));
                  setMode('edit');
                }}
              />
            )}
          </>
        ) : (
          <ActionButton
            label={trans.__('Back')}
            hint={trans.__('Back to the question; nothing is decided.')}
            disabled={busy}
            onClick={() => {
              setMode('ask');
            }}
          />
        )}
      </div>
      {mode !== 'edit' && isEditable(pending.kind) && (
        <Compare pending={pending} />
      )}
    </section>
  );
}

/** The code that would run, which the person may change first. */
function codeOf({ content }: Pending): string | null {
  return typeof content.source === 'string' ? content.source : null;
}

/** What a group of cells is for, or the code that would run. */
function Question({ pending }: { pending: Pending }): React.JSX.Element | null {
  const { trans } = useKit();
  const { goal, cell_ids: cells } = pending.content;
  const code = codeOf(pending);
  if (code !== null) {
    return <Code label={trans.__('Code')} text={code} />;
  }
  if (Array.isArray(cells)) {
    return (
      <p>{trans._n('%1 cell would run', '%1 cells would run', cells.length)}</p>
    );
  }
  return typeof goal === 'string' && goal ? (
    <p className="bcc-Quote">{goal}</p>
  ) : null;
}
