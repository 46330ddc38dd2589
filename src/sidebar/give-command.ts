import { Dialog, showDialog } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';

import type { NewCommand } from '../connection/api';
import type { RunView } from '../protocol';
import type { Model } from '../runs/model';
import { commandWords, type CommandName } from './words';

/** Commands after which cells of the run are gone. */
const REPLACING: readonly CommandName[] = [
  'retry',
  'debug',
  'restart',
  'reset'
];

/**
 * Give a command the way a person does: what the server refuses is shown with the run, and one
 * that takes cells out of the notebook asks first.
 */
export async function giveCommand(
  model: Model,
  run: RunView,
  command: NewCommand,
  trans: TranslationBundle
): Promise<boolean> {
  const name = command.command;
  if (takesCellsAway(run, name) && !(await isMeant(name, trans))) {
    return false;
  }
  try {
    await model.command(run.id, command);
    return true;
  } catch (reason) {
    console.debug(`notebook-bcc: ${name} was refused`, reason);
    return false;
  }
}

function takesCellsAway(run: RunView, command: CommandName): boolean {
  const rests = ['error', 'cancelled', 'workflow_completed'];
  return (
    REPLACING.includes(command) &&
    rests.includes(run.state) &&
    run.counts.cells_added > 0
  );
}

async function isMeant(
  command: CommandName,
  trans: TranslationBundle
): Promise<boolean> {
  const { label, effect } = commandWords(command, trans);
  const answer = await showDialog({
    title: trans.__('%1?', label),
    body: effect,
    buttons: [
      Dialog.cancelButton({ label: trans.__('Back') }),
      Dialog.warnButton({ label })
    ]
  });
  return answer.button.accept;
}
