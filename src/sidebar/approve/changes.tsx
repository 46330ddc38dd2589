import React from 'react';

import type { Change, Pending } from '../../protocol';
import { useKit } from '../common/kit';
import { Fold } from '../common/parts';
import { changeWords, fieldWords, levelWords } from '../plan-words';
import { changedFields, planOf, type EditPlan } from './plan-edit';

/** Signs beside the words, so that a glance is enough. */
const SIGNS: Record<Change['change'], string> = {
  added: '+',
  removed: '−',
  renamed: '✎',
  moved: '↕',
  changed: '~'
};

/** What would be different, item by item. */
export function ChangeList(props: {
  pending: Pending;
}): React.JSX.Element | null {
  const { trans } = useKit();
  const { changes } = props.pending;
  if (changes.length === 0) {
    return null;
  }
  return (
    <ul className="bcc-Changes" aria-label={trans.__('Proposed changes')}>
      {changes.map((change, index) => (
        <li key={index} data-change={change.change}>
          <span className="bcc-Changes-sign" aria-hidden="true">
            {SIGNS[change.change]}
          </span>
          <ChangeWords change={change} pending={props.pending} />
        </li>
      ))}
    </ul>
  );
}

/** On demand the old and the new plan, side by side where there is room. */
export function Compare({ pending }: { pending: Pending }): React.JSX.Element {
  const { trans } = useKit();
  const marks = new Map(
    pending.changes.map(change => [keyOf(change), change.change])
  );
  return (
    <Fold
      title={
        pending.before
          ? trans.__('Old and new plan')
          : trans.__('The whole plan')
      }
      open={pending.kind === 'plan'}
    >
      {() => (
        <div className="bcc-Compare">
          {pending.before && (
            <PlanColumn
              title={trans.__('Old')}
              plan={planOf(pending, pending.before)}
              marks={marks}
              shows="removed"
            />
          )}
          <PlanColumn
            title={pending.before ? trans.__('New') : trans.__('Plan')}
            plan={planOf(pending, pending.content)}
            marks={marks}
            shows="added"
          />
        </div>
      )}
    </Fold>
  );
}

function ChangeWords(props: {
  change: Change;
  pending: Pending;
}): React.JSX.Element {
  const { change, pending } = props;
  const { trans } = useKit();
  const name = change.name || change.id;
  const { before, after } = change;
  return (
    <div>
      <span className="bcc-Changes-kind">
        {trans.__(
          '%1 %2',
          changeWords(change.change, trans),
          levelWords(change.level, trans)
        )}
      </span>{' '}
      {change.change === 'renamed' ? (
        <>
          <del>{before}</del> → <ins>{after}</ins>
        </>
      ) : (
        <strong>{name}</strong>
      )}
      {change.change === 'moved' && (
        <span className="bcc-Changes-detail">
          {trans.__('from place %1 to %2', before ?? '', after ?? '')}
        </span>
      )}
      {change.change === 'changed' &&
        changedFields(pending, change).map(one => (
          <span className="bcc-Changes-detail" key={one.field}>
            <span>{fieldWords(one.field, trans)}</span>
            {one.before && <del>{one.before}</del>}
            {one.after && <ins>{one.after}</ins>}
          </span>
        ))}
    </div>
  );
}

interface IPlanColumnProps {
  title: string;
  plan: EditPlan;
  marks: ReadonlyMap<string, Change['change']>;
  shows: 'added' | 'removed';
}

function PlanColumn(props: IPlanColumnProps): React.JSX.Element {
  const { marks, shows } = props;
  const markOf = (key: string): Change['change'] | undefined => {
    const mark = marks.get(key);
    const foreign = shows === 'added' ? 'removed' : 'added';
    return mark === foreign ? undefined : mark;
  };
  return (
    <div className="bcc-Compare-column">
      <h4 className="bcc-Label">{props.title}</h4>
      <ul>
        {props.plan.map(stage => (
          <li key={stage.id}>
            <span data-change={markOf(`stage:${stage.id}`)}>{stage.name}</span>
            <ol>
              {stage.steps.map(step => (
                <li
                  key={step.id}
                  data-change={markOf(`step:${stage.id}:${step.id}`)}
                >
                  {step.name}
                </li>
              ))}
            </ol>
          </li>
        ))}
      </ul>
    </div>
  );
}

function keyOf(change: Change): string {
  return change.level === 'step'
    ? `step:${change.stage_id ?? ''}:${change.id}`
    : `${change.level}:${change.id}`;
}
