import { addIcon, closeIcon } from '@jupyterlab/ui-components';
import React from 'react';

import type { IPlaybook } from '../../connection/api';
import { useKit } from '../common/kit';
import { ActionButton, Field } from '../common/parts';
import { extraVariables, type IDraft } from './draft';

export interface IVariablesFieldProps {
  draft: IDraft;
  playbook: IPlaybook | undefined;
  error?: string;
  onChange: (change: Partial<IDraft>) => void;
}

/** The playbook's own variables, and whatever else the planner should know. */
export function VariablesField(props: IVariablesFieldProps): React.JSX.Element {
  const { draft, playbook, error, onChange } = props;
  const { trans } = useKit();
  const declared = draft.planner === 'embedded' ? extraVariables(playbook) : [];
  const change = (
    index: number,
    part: { name?: string; value?: string }
  ): void => {
    onChange({
      free: draft.free.map((one, at) =>
        at === index ? { ...one, ...part } : one
      )
    });
  };
  return (
    <div className="bcc-Variables">
      {declared.map(([name, variable]) => (
        <Field key={name} label={name} hint={variable.description}>
          {ids => (
            <input
              {...ids}
              className="bcc-Input"
              value={draft.declared[name] ?? ''}
              placeholder={
                typeof variable.default === 'string' ? variable.default : ''
              }
              onChange={event => {
                onChange({
                  declared: { ...draft.declared, [name]: event.target.value }
                });
              }}
            />
          )}
        </Field>
      ))}
      {draft.free.map(({ name, value }, index) => (
        <div className="bcc-Row" key={index}>
          <input
            className="bcc-Input"
            aria-label={trans.__('Name of variable %1', String(index + 1))}
            placeholder={trans.__('name')}
            value={name}
            onChange={event => {
              change(index, { name: event.target.value });
            }}
          />
          <input
            className="bcc-Input"
            aria-label={trans.__('Value of variable %1', String(index + 1))}
            placeholder={trans.__('value')}
            value={value}
            onChange={event => {
              change(index, { value: event.target.value });
            }}
          />
          <ActionButton
            iconOnly
            icon={closeIcon}
            label={trans.__('Remove variable %1', String(index + 1))}
            onClick={() => {
              onChange({ free: draft.free.filter((_, at) => at !== index) });
            }}
          />
        </div>
      ))}
      {error && (
        <p className="bcc-Field-error" role="alert">
          {error}
        </p>
      )}
      <ActionButton
        icon={addIcon}
        label={trans.__('Add a variable')}
        onClick={() => {
          onChange({ free: [...draft.free, { name: '', value: '' }] });
        }}
      />
    </div>
  );
}
