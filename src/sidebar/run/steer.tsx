import {
  caretDownIcon,
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
import { giveCommand } from '../give-command';
import { type CommandName, commandNames, commandWords } from '../words';

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
  'restart',
  'reset'
];

/** The orders that the run takes now; the server says which. */
export function Steer({ run }: { run: RunView }): React.JSX.Element | null {
  const { trans, model } = useKit();
  const remedies = run.error === null ? [] : ['restart', 'reset'];
  const orders = HERE.filter(
    order => run.allowed_commands.includes(order) && !remedies.includes(order)
  );
  const unfollowed =
    run.ended_at === null &&
    run.notebook === model.front &&
    !model.isFollowed(run.id);
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
        const { label, effect } = commandWords(command, trans);
        return (
          <ActionButton
            key={command}
            label={label}
            hint={effect}
            icon={ICONS[command]}
            onClick={() => {
              void giveCommand(model, run, { command }, trans);
            }}
          />
        );
      })}
      {unfollowed && (
        <ActionButton
          label={commandNames.follow(trans)}
          hint={trans.__('Scroll the notebook along with the run again')}
          icon={caretDownIcon}
          onClick={() => {
            model.follow(run.id, true);
          }}
        />
      )}
    </div>
  );
}
