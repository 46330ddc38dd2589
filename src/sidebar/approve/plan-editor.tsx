import {
  addIcon,
  caretDownEmptyThinIcon,
  caretUpEmptyThinIcon,
  closeIcon
} from '@jupyterlab/ui-components';
import React from 'react';

import { useKit } from '../common/kit';
import { ActionButton } from '../common/parts';
import {
  addStep,
  moveStage,
  moveStep,
  removeStage,
  removeStep,
  renameStage,
  renameStep,
  type EditPlan
} from './plan-edit';

export interface IPlanEditorProps {
  plan: EditPlan;
  /** A list of steps belongs to a stage that stays as it is. */
  stages: boolean;
  onChange: (plan: EditPlan) => void;
}

/** Rename, reorder, remove and add what the planner proposed. */
export function PlanEditor(props: IPlanEditorProps): React.JSX.Element {
  const { plan, stages, onChange } = props;
  const { trans } = useKit();
  return (
    <div className="bcc-Editor">
      {plan.map((stage, at) => (
        <fieldset key={stage.id} className="bcc-Fieldset">
          <legend className="bcc-Spoken">{stage.name}</legend>
          {stages && (
            <EditRow
              name={stage.name}
              label={trans.__('Name of stage %1', String(at + 1))}
              first={at === 0}
              last={at === plan.length - 1}
              stage
              onRename={name => {
                onChange(renameStage(plan, at, name));
              }}
              onMove={by => {
                onChange(moveStage(plan, at, by));
              }}
              onRemove={() => {
                onChange(removeStage(plan, at));
              }}
            />
          )}
          {stage.steps.map((step, index) => (
            <EditRow
              key={step.id}
              name={step.name}
              label={
                stages
                  ? trans.__(
                      'Name of step %1 of stage %2',
                      String(index + 1),
                      String(at + 1)
                    )
                  : trans.__('Name of step %1', String(index + 1))
              }
              first={index === 0}
              last={index === stage.steps.length - 1}
              onRename={name => {
                onChange(renameStep(plan, at, index, name));
              }}
              onMove={by => {
                onChange(moveStep(plan, at, index, by));
              }}
              onRemove={() => {
                onChange(removeStep(plan, at, index));
              }}
            />
          ))}
          <ActionButton
            icon={addIcon}
            label={trans.__('Add a step')}
            onClick={() => {
              onChange(addStep(plan, at, trans.__('New step')));
            }}
          />
        </fieldset>
      ))}
    </div>
  );
}

interface IEditRowProps {
  name: string;
  label: string;
  first: boolean;
  last: boolean;
  stage?: boolean;
  onRename: (name: string) => void;
  onMove: (by: -1 | 1) => void;
  onRemove: () => void;
}

function EditRow(props: IEditRowProps): React.JSX.Element {
  const { name, stage = false } = props;
  const { trans } = useKit();
  return (
    <div className="bcc-Row bcc-Editor-row" data-stage={stage}>
      <input
        className="bcc-Input"
        aria-label={props.label}
        value={name}
        onChange={event => {
          props.onRename(event.target.value);
        }}
      />
      <ActionButton
        iconOnly
        icon={caretUpEmptyThinIcon}
        label={trans.__('Move «%1» up', name)}
        disabled={props.first}
        onClick={() => {
          props.onMove(-1);
        }}
      />
      <ActionButton
        iconOnly
        icon={caretDownEmptyThinIcon}
        label={trans.__('Move «%1» down', name)}
        disabled={props.last}
        onClick={() => {
          props.onMove(1);
        }}
      />
      <ActionButton
        iconOnly
        icon={closeIcon}
        label={trans.__('Remove «%1»', name)}
        onClick={props.onRemove}
      />
    </div>
  );
}
