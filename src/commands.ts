import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { TranslationBundle } from '@jupyterlab/translation';

import { notebookBccIcon } from './icon';

export const CommandIDs = {
  open: 'notebook-bcc:open'
} as const;

export function addCommands(
  app: JupyterFrontEnd,
  sidebarId: string,
  trans: TranslationBundle
): void {
  app.commands.addCommand(CommandIDs.open, {
    label: trans.__('Open Notebook-BCC'),
    caption: trans.__('Show the Notebook-BCC sidebar'),
    icon: args => (args.isPalette ? undefined : notebookBccIcon),
    execute: () => {
      app.shell.activateById(sidebarId);
    },
    describedBy: { args: { type: 'object', properties: {} } }
  });
}
