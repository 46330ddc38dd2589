import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { TranslationBundle } from '@jupyterlab/translation';
import { bugIcon } from '@jupyterlab/ui-components';

import { notebookBccIcon } from './icon';
import type { Model } from './model';
import type { NotebookLink } from './notebook-link';
import type { Command } from './protocol';
import type { Sidebar } from './sidebar/sidebar';
import { orderWords } from './sidebar/words';

export const CommandIDs = {
  open: 'notebook-bcc:open',
  start: 'notebook-bcc:start',
  review: 'notebook-bcc:review',
  confirm: 'notebook-bcc:confirm',
  reject: 'notebook-bcc:reject',
  pause: 'notebook-bcc:pause',
  resume: 'notebook-bcc:resume',
  step: 'notebook-bcc:step',
  cancel: 'notebook-bcc:cancel',
  debugCell: 'notebook-bcc:debug-cell'
} as const;

/** Orders that have a command of their own. */
const ORDERS: readonly Command['command'][] = [
  'confirm',
  'reject',
  'pause',
  'resume',
  'step',
  'cancel'
];

/** What stands in the palette, in this order. */
export const PALETTE: readonly string[] = [
  CommandIDs.open,
  CommandIDs.start,
  CommandIDs.review,
  ...ORDERS.map(order => `notebook-bcc:${order}`)
];

export interface ICommandParts {
  app: JupyterFrontEnd;
  model: Model;
  sidebar: Sidebar;
  link: NotebookLink;
  trans: TranslationBundle;
}

const NO_ARGUMENTS = { args: { type: 'object', properties: {} } } as const;

export function addCommands(parts: ICommandParts): void {
  const { app, model, sidebar, trans } = parts;
  const { commands } = app;
  const show = (): void => {
    app.shell.activateById(sidebar.id);
  };
  commands.addCommand(CommandIDs.open, {
    label: trans.__('Open Notebook-BCC'),
    caption: trans.__('Show the Notebook-BCC sidebar'),
    icon: args => (args.isPalette ? undefined : notebookBccIcon),
    execute: show,
    describedBy: NO_ARGUMENTS
  });
  commands.addCommand(CommandIDs.start, {
    label: args =>
      args.isLauncher
        ? trans.__('Analysis with Notebook-BCC')
        : trans.__('Start a Notebook-BCC Run…'),
    caption: trans.__('Plan an analysis and run it in a notebook'),
    icon: args => (args.isPalette ? undefined : notebookBccIcon),
    execute: async () => {
      model.openStart();
      show();
      await sidebar.renderPromise;
      sidebar.fillIn();
    },
    describedBy: NO_ARGUMENTS
  });
  commands.addCommand(CommandIDs.review, {
    label: trans.__('Review What Waits for You'),
    isEnabled: () => model.waiting.length > 0,
    execute: async () => {
      const run = model.waiting[0];
      if (run) {
        model.select(run.id);
        show();
        await sidebar.renderPromise;
        sidebar.review();
      }
    },
    describedBy: NO_ARGUMENTS
  });
  for (const command of ORDERS) {
    const { label, effect } = orderWords(command, trans);
    commands.addCommand(`notebook-bcc:${command}`, {
      label: trans.__('%1 (Notebook-BCC)', label),
      caption: effect,
      isEnabled: () =>
        model.selected?.allowed_commands.includes(command) ?? false,
      execute: async () => {
        const run = model.selected;
        if (run) {
          const proposal = run.pending && { proposal_id: run.pending.id };
          await model.order(run.id, { command, ...proposal });
        }
      },
      describedBy: NO_ARGUMENTS
    });
  }
  addDebug(parts);
  model.stateChanged.connect(() => {
    commands.notifyCommandChanged();
  });
}

/** The button on a failed cell (A18): only there, and only while the run takes the order. */
function addDebug(parts: ICommandParts): void {
  const { app, model, link, trans } = parts;
  const runOfCell = (): string | null => {
    const place = link.placeOfActiveCell();
    const run = model.runs.find(({ id }) => id === place?.run);
    return run?.allowed_commands.includes('debug') === true ? run.id : null;
  };
  app.commands.addCommand(CommandIDs.debugCell, {
    label: trans.__('Debug with the planner'),
    caption: orderWords('debug', trans).effect,
    icon: bugIcon,
    isVisible: () => link.activeCellOffersDebug() && runOfCell() !== null,
    isEnabled: () => runOfCell() !== null,
    execute: async () => {
      const runId = runOfCell();
      if (runId !== null) {
        model.select(runId);
        await model.order(runId, { command: 'debug' });
      }
    },
    describedBy: NO_ARGUMENTS
  });
}
