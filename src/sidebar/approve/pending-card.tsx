import { checkIcon, closeIcon, editIcon } from '@jupyterlab/ui-components';
import React from 'react';

import type { Order } from '../../api';
import type { Pending, RunView } from '../../protocol';
import { Code } from '../common/code';
import { useKit } from '../common/kit';
import { ActionButton } from '../common/parts';
import { pendingWords } from '../plan-words';
import { orderWords } from '../words';
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
  const [reason, setReason] = React.useState('');
  const [busy, setBusy] = React.useState(false);
  const title = React.useId();

  const answer = async (order: Order): Promise<void> => {
    setBusy(true);
    await model.order(run.id, { ...order, proposal_id: pending.id });
    setBusy(false);
  };
  const confirm = (): void => {
    const edited = mode === 'edit' ? editedContent(pending, plan) : null;
    void answer({ command: 'confirm', edited });
  };
  const confirmLabel =
    mode === 'edit'
      ? trans.__('Confirm the edited plan')
      : orderWords('confirm', trans).label;
  const why = run.progress.focus.stages;
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
      {isEditable(pending.kind) && why && <p className="bcc-Quote">{why}</p>}
      {mode === 'edit' ? (
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
            disabled={busy}
            testId="bcc-confirm"
            onClick={confirm}
          />
        )}
        {mode === 'ask' ? (
          <>
            <ActionButton
              label={orderWords('reject', trans).label}
              disabled={busy}
              onClick={() => {
                setMode('reject');
              }}
            />
            {isEditable(pending.kind) && (
              <ActionButton
                icon={editIcon}
                label={trans.__('Edit')}
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

/** What a group of cells is for, or the code that would run. */
function Question({ pending }: { pending: Pending }): React.JSX.Element | null {
  const { trans } = useKit();
  const { goal, source, cell_ids: cells } = pending.content;
  if (typeof source === 'string') {
    return <Code label={trans.__('Code')} text={source} />;
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
