import { Dialog, showDialog } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';

import type { RunView } from '../protocol';
import type { Model } from '../runs/model';
import { orderWords, type CommandName } from './words';

/** Orders after which cells of the run are gone. */
const REPLACING: readonly CommandName[] = [
  'retry',
  'debug',
  'restart',
  'reset'
];

/** Give an order; one that takes cells out of the notebook asks the person first. */
export async function giveOrder(
  model: Model,
  run: RunView,
  command: CommandName,
  trans: TranslationBundle
): Promise<void> {
  if (takesCellsAway(run, command) && !(await isMeant(command, trans))) {
    return;
  }
  await model.order(run.id, { command });
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
  const { label, effect } = orderWords(command, trans);
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
