import React from 'react';

import type { RunView } from '../../protocol';
import { PendingCard } from '../approve/pending-card';
import { Calls } from '../calls/calls';
import { useKit } from '../common/kit';
import { ActionButton, Fold } from '../common/parts';
import { Context } from '../context/context';
import { decisionWords, refusalWords } from '../error-words';
import { ErrorCard } from '../error/error-card';
import { Machine } from '../machine/machine';
import { PlanTree } from '../plan/plan';
import { Timeline } from '../timeline/timeline';
import { Attainment } from './attainment';
import { Elsewhere } from './elsewhere';
import { Finished } from './finished';
import { History } from './history';
import { NotifyMe } from './notify-me';
import { NowCard } from './now';
import { Overwritten } from './overwritten';
import { Steer } from './steer';
import { Switcher } from './switcher';
import { PlannerWords } from './words-of-planner';

/** One run: what it waits for first, then where it is, then everything else. */
export function RunPanel({ run }: { run: RunView }): React.JSX.Element {
  const { trans, model } = useKit();
  return (
    <>
      <Switcher run={run} />
      <Elsewhere run={run} />
      {run.pending && (
        <PendingCard key={run.pending.id} run={run} pending={run.pending} />
      )}
      {run.error && <ErrorCard run={run} error={run.error} />}
      <Refusal run={run} />
      <Overwritten run={run} />
      <NowCard run={run} />
      {run.status === 'done' && <Finished run={run} />}
      <Steer run={run} />
      <NotifyMe run={run} />
      {run.pending === null && <PlannerWords run={run} />}
      <PlanTree key={run.id} run={run} />
      <Attainment run={run} />
      <div className="bcc-Folds">
        <Fold
          title={trans.__('What the planner knows')}
          key={`context-${run.id}`}
        >
          {() => <Context />}
        </Fold>
        <Fold
          title={trans.__('Planner calls')}
          aside={run.counts.planner_calls}
        >
          {() => <Calls key={run.id} />}
        </Fold>
        <Fold title={trans.__('Timeline')}>{() => <Timeline />}</Fold>
        <Fold title={trans.__('State machine')}>
          {() => <Machine state={run.state} />}
        </Fold>
        <Fold title={trans.__('Runs')} aside={model.runs.length}>
          {() => <History />}
        </Fold>
      </div>
    </>
  );
}

/** What the server refused, or who decided instead of this person. */
function Refusal({ run }: { run: RunView }): React.JSX.Element | null {
  const { trans, model } = useKit();
  const refusal = model.refusal(run.id);
  const { decision } = run;
  if (refusal !== undefined) {
    return (
      <div className="bcc-Notice" role="alert">
        <div>
          <p>{refusalWords(refusal, decision, trans)}</p>
          {decision?.proposal_id !== refusal.proposal && (
            <p className="bcc-Hint">{refusal.message}</p>
          )}
        </div>
        <ActionButton
          label={trans.__('Dismiss')}
          onClick={() => {
            model.forgetRefusal(run.id);
          }}
        />
      </div>
    );
  }
  if (decision === null || run.pending !== null) {
    return null;
  }
  return (
    <p className="bcc-Hint" role="status">
      {decisionWords(decision, trans)}
      {decision.reason && ` – ${decision.reason}`}
    </p>
  );
}
