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
  moveStep,
  removeStep,
  renameStep,
  type EditPlan
} from './plan-edit';

export interface IPlanEditorProps {
  plan: EditPlan;
  onChange: (plan: EditPlan) => void;
}

/** Rename, reorder, remove and add steps. */
export function PlanEditor(props: IPlanEditorProps): React.JSX.Element {
  const { plan, onChange } = props;
  const { trans } = useKit();
  return (
    <div className="bcc-Editor">
      {plan.map((stage, at) => (
        <fieldset key={stage.id} className="bcc-Fieldset">
          <legend className="bcc-Field-label">{stage.name}</legend>
          {stage.steps.map((step, index) => (
            <div className="bcc-Row bcc-Editor-row" key={step.id}>
              <input
                className="bcc-Input"
                aria-label={trans.__('Name of step %1', String(index + 1))}
                value={step.name}
                onChange={event => {
                  onChange(renameStep(plan, at, index, event.target.value));
                }}
              />
              <ActionButton
                iconOnly
                icon={caretUpEmptyThinIcon}
                label={trans.__('Move «%1» up', step.name)}
                disabled={index === 0}
                onClick={() => {
                  onChange(moveStep(plan, at, index, -1));
                }}
              />
              <ActionButton
                iconOnly
                icon={caretDownEmptyThinIcon}
                label={trans.__('Move «%1» down', step.name)}
                disabled={index === stage.steps.length - 1}
                onClick={() => {
                  onChange(moveStep(plan, at, index, 1));
                }}
              />
              <ActionButton
                iconOnly
                icon={closeIcon}
                label={trans.__('Remove «%1»', step.name)}
                onClick={() => {
                  onChange(removeStep(plan, at, index));
                }}
              />
            </div>
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
