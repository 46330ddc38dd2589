import { addIcon, closeIcon } from '@jupyterlab/ui-components';
import React from 'react';

import type { IPlaybook } from '../../connection/api';
import { useKit } from '../common/kit';
import { ActionButton, Field } from '../common/parts';
import { extraVariables, type IDraftFieldProps } from './draft';

export interface IVariablesFieldProps extends IDraftFieldProps {
  playbook: IPlaybook | undefined;
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
          {word(
            trans.__('Name of variable %1', String(index + 1)),
            trans.__('name'),
            name,
            text => {
              change(index, { name: text });
            }
          )}
          {word(
            trans.__('Value of variable %1', String(index + 1)),
            trans.__('value'),
            value,
            text => {
              change(index, { value: text });
            }
          )}
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

function word(
  label: string,
  placeholder: string,
  value: string,
  onChange: (value: string) => void
): React.JSX.Element {
  return (
    <input
      className="bcc-Input"
      aria-label={label}
      placeholder={placeholder}
      value={value}
      onChange={event => {
        onChange(event.target.value);
      }}
    />
  );
}
