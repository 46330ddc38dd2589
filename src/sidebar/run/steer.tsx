import {
  pauseIcon,
  redoIcon,
  refreshIcon,
  runIcon,
  stepOverIcon,
  stopIcon,
  undoIcon,
  type LabIcon
} from '@jupyterlab/ui-components';
import React from 'react';

import type { RunView } from '../../protocol';
import { useKit } from '../common/kit';
import { ActionButton } from '../common/parts';
import { orderWords, type CommandName } from '../words';

const ICONS: Partial<Record<CommandName, LabIcon>> = {
  pause: pauseIcon,
  resume: runIcon,
  step: stepOverIcon,
  cancel: stopIcon,
  reset: undoIcon,
  retry: refreshIcon,
  restart: redoIcon
};
/** Answers and remedies have cards of their own. */
const HERE: readonly CommandName[] = [
  'pause',
  'resume',
  'step',
  'cancel',
  'reset'
];

/** The orders that the run takes now; the server says which. */
export function Steer({ run }: { run: RunView }): React.JSX.Element | null {
  const { trans, model } = useKit();
  const remedies = run.error === null ? [] : ['reset'];
  const orders = HERE.filter(
    order => run.allowed_commands.includes(order) && !remedies.includes(order)
  );
  if (orders.length === 0) {
    return null;
  }
  return (
    <div
      className="bcc-Actions"
      role="group"
      aria-label={trans.__('Steer the run')}
    >
      {orders.map(command => {
        const { label, effect } = orderWords(command, trans);
        return (
          <ActionButton
            key={command}
            label={label}
            hint={effect}
            icon={ICONS[command]}
            onClick={() => {
              void model.order(run.id, { command });
            }}
          />
        );
      })}
    </div>
  );
}
