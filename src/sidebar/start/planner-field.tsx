import React from 'react';

import {
  ApiError,
  type IPlannerCheck,
  type IPlaybook
} from '../../connection/api';
import { useKit } from '../common/kit';
import { ActionButton, Choice, Field } from '../common/parts';
import { checkWords } from '../error-words';
import { isServiceAddress, type IDraft, type IDraftFieldProps } from './draft';

const EXAMPLE = 'http://localhost:28600';

export interface IPlannerFieldProps extends IDraftFieldProps {
  playbooks: readonly IPlaybook[];
}

/** Which planner: a playbook of the embedded one, or a service by its address. */
export function PlannerField(props: IPlannerFieldProps): React.JSX.Element {
  const { draft, playbooks, error, onChange } = props;
  const { trans } = useKit();
  const name = React.useId();
  const playbook = playbooks.find(one => one.name === draft.playbook);
  const choice = (
    value: IDraft['planner'],
    label: string
  ): React.JSX.Element => (
    <Choice
      group={name}
      label={label}
      isChosen={draft.planner === value}
      onChoose={() => {
        onChange({ planner: value });
      }}
    />
  );
  return (
    <fieldset className="bcc-Fieldset">
      <legend className="bcc-Field-label">{trans.__('Planner')}</legend>
      <div className="bcc-Choices">
        {choice('embedded', trans.__('Playbook'))}
        {choice('http', trans.__('Planner service'))}
      </div>
      {draft.planner === 'embedded' ? (
        <Field
          label={trans.__('Playbook')}
          hint={playbook?.description}
          error={error}
        >
          {ids => (
            <select
              {...ids}
              className="bcc-Input"
              value={draft.playbook}
              onChange={event => {
                onChange({ playbook: event.target.value, declared: {} });
              }}
            >
              {playbooks.map(one => (
                <option key={one.name} value={one.name}>
                  {one.title}
                </option>
              ))}
            </select>
          )}
        </Field>
      ) : (
        <ServiceAddress {...props} />
      )}
    </fieldset>
  );
}

function ServiceAddress(props: IPlannerFieldProps): React.JSX.Element {
  const { draft, error, onChange } = props;
  const { trans, model } = useKit();
  const [checked, setChecked] = React.useState<
    (IPlannerCheck & { url: string }) | null
  >(null);
  const [busy, setBusy] = React.useState(false);
  const check = async (): Promise<void> => {
    const url = draft.url.trim();
    setBusy(true);
    try {
      setChecked({ ...(await model.api.checkPlanner(url)), url });
    } catch (reason) {
      setChecked({
        ok: false,
        outcome: 'unreachable',
        message: reason instanceof ApiError ? reason.message : String(reason),
        url
      });
    } finally {
      setBusy(false);
    }
  };
  const current = checked?.url === draft.url.trim() ? checked : null;
  return (
    <>
      <Field label={trans.__('Address of the service')} error={error}>
        {ids => (
          <div className="bcc-Row">
            <input
              {...ids}
              className="bcc-Input"
              type="url"
              placeholder={EXAMPLE}
              value={draft.url}
              onChange={event => {
                onChange({ url: event.target.value });
              }}
            />
            <ActionButton
              label={busy ? trans.__('Checking…') : trans.__('Check')}
              hint={trans.__('See whether a planner answers there')}
              disabled={busy || !isServiceAddress(draft.url)}
              onClick={() => {
                void check();
              }}
            />
          </div>
        )}
      </Field>
      <p
        className="bcc-Check"
        role="status"
        data-ok={current ? current.ok : undefined}
        title={current?.message}
      >
        {current && checkWords(current.outcome, trans)}
      </p>
    </>
  );
}
