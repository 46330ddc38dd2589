import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { TranslationBundle } from '@jupyterlab/translation';
import { bugIcon, codeIcon } from '@jupyterlab/ui-components';

import type { NotebookLink } from './notebook/link';
import {
  hasRunCode,
  isRunCodeHidden,
  toggleRunCode
} from './notebook/run-code';
import type { Command, RunView } from './protocol';
import type { Model } from './runs/model';
import { giveCommand } from './sidebar/give-command';
import { notebookBccIcon } from './sidebar/icon';
import type { Sidebar } from './sidebar/sidebar';
import { commandNames, commandWords } from './sidebar/words';
import { CommandIDs } from './tokens';

/** Commands to a run that are commands of JupyterLab, too. */
const RUN_COMMANDS: readonly Command['command'][] = [
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
  ...RUN_COMMANDS.map(command => `notebook-bcc:${command}`),
  CommandIDs.follow,
  CommandIDs.toggleCode
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
    label: commandNames.start(trans),
    caption: trans.__(
      'New Notebook-BCC Run: plan an analysis and run it in a notebook'
    ),
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
  for (const command of RUN_COMMANDS) {
    const { label, effect } = commandWords(command, trans);
    commands.addCommand(`notebook-bcc:${command}`, {
      label: trans.__('%1 (Notebook-BCC)', label),
      caption: effect,
      isEnabled: () =>
        model.selected?.allowed_commands.includes(command) ?? false,
      execute: async () => {
        const run = model.selected;
        if (run) {
          const proposal = run.pending && { proposal_id: run.pending.id };
          await giveCommand(model, run, { command, ...proposal }, trans);
        }
      },
      describedBy: NO_ARGUMENTS
    });
  }
  commands.addCommand(CommandIDs.follow, {
    label: commandNames.follow(trans),
    caption: trans.__('Scroll the notebook along with the run'),
    isEnabled: () => model.selected?.ended_at === null,
    isToggled: () =>
      model.selected !== null && model.isFollowed(model.selected.id),
    execute: () => {
      const run = model.selected;
      if (run) {
        model.follow(run.id, !model.isFollowed(run.id));
      }
    },
    describedBy: NO_ARGUMENTS
  });
  addToggleCode(parts);
  addDebug(parts);
  model.stateChanged.connect(() => {
    commands.notifyCommandChanged();
  });
}

/** The button of a notebook in which a run wrote code. */
function addToggleCode({ app, model, link, trans }: ICommandParts): void {
  const hasCode = (): boolean =>
    link.current !== null && hasRunCode(link.current);
  app.commands.addCommand(CommandIDs.toggleCode, {
    label: commandNames.toggleCode(trans),
    caption: trans.__(
      'Show or hide the code of the cells that runs wrote; yours stay as they are'
    ),
    icon: args => (args.isPalette ? undefined : codeIcon),
    isVisible: hasCode,
    isEnabled: hasCode,
    isToggled: () => link.current !== null && !isRunCodeHidden(link.current),
    execute: () => {
      if (link.current) {
        toggleRunCode(link.current);
        app.commands.notifyCommandChanged(CommandIDs.toggleCode);
      }
    },
    describedBy: NO_ARGUMENTS
  });
  // A button of a toolbar hears of its own command alone, not of all at once.
  let offered = false;
  const offer = (): void => {
    if (hasCode() !== offered) {
      offered = !offered;
      app.commands.notifyCommandChanged(CommandIDs.toggleCode);
    }
  };
  link.currentChanged.connect(offer);
  model.stateChanged.connect(offer);
}

/** The button on a failed cell (A18): only there, and only while the run takes the command. */
function addDebug(parts: ICommandParts): void {
  const { app, model, link, trans } = parts;
  const runOfCell = (): RunView | null => {
    const place = link.placeOfActiveCell();
    const run = model.runs.find(({ id }) => id === place?.run);
    return run?.allowed_commands.includes('debug') === true ? run : null;
  };
  app.commands.addCommand(CommandIDs.debugCell, {
    label: commandWords('debug', trans).label,
    caption: commandWords('debug', trans).effect,
    icon: bugIcon,
    isVisible: () => link.activeCellOffersDebug() && runOfCell() !== null,
    isEnabled: () => runOfCell() !== null,
    execute: async () => {
      const run = runOfCell();
      if (run !== null) {
        model.select(run.id);
        await giveCommand(model, run, { command: 'debug' }, trans);
      }
    },
    describedBy: NO_ARGUMENTS
  });
}
