import {
  ILabShell,
  ILayoutRestorer,
  type JupyterFrontEnd,
  type JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';
import { IDocumentManager } from '@jupyterlab/docmanager';
import { ILauncher } from '@jupyterlab/launcher';
import { IMainMenu } from '@jupyterlab/mainmenu';
import { INotebookTracker } from '@jupyterlab/notebook';
import { ISettingRegistry } from '@jupyterlab/settingregistry';
import { IStatusBar } from '@jupyterlab/statusbar';
import {
  ITranslator,
  nullTranslator,
  type TranslationBundle
} from '@jupyterlab/translation';

// eslint-disable-next-line jupyter/prefer-lazy-imports -- activation needs it at once
import { addCommands, PALETTE } from './commands';
// eslint-disable-next-line jupyter/prefer-lazy-imports -- the connection is opened at start
import { clientFor } from './connection/client';
import { Files } from './notebook/files';
import { NotebookLink } from './notebook/link';
import { showNotices } from './notebook/notices';
import { OpenStarted } from './notebook/open-started';
// eslint-disable-next-line jupyter/prefer-lazy-imports -- activation needs it at once
import { RunFeed } from './runs/feed';
// eslint-disable-next-line jupyter/prefer-lazy-imports -- activation needs it at once
import { Model } from './runs/model';
import { readSettings, translateSchema } from './settings';
// eslint-disable-next-line jupyter/prefer-lazy-imports -- activation needs it at once
import { Attention } from './sidebar/attention';
// eslint-disable-next-line jupyter/prefer-lazy-imports -- the shell needs the widget at start
import { Sidebar } from './sidebar/sidebar';
// eslint-disable-next-line jupyter/prefer-lazy-imports -- the sidebar needs it
import { KeptDraft } from './sidebar/start/draft';
// eslint-disable-next-line jupyter/prefer-lazy-imports -- the status bar needs it at start
import { StatusItem } from './sidebar/status-item';
import { CommandIDs, INotebookBcc } from './tokens';

const PLUGIN_ID = 'notebook-bcc-ext:plugin';
const DOMAIN = 'notebook_bcc_ext';
const SIDEBAR_ID = 'notebook-bcc-sidebar';

const plugin: JupyterFrontEndPlugin<INotebookBcc> = {
  id: PLUGIN_ID,
  description:
    'The Notebook-BCC sidebar: plans a workflow and runs it in the live notebook.',
  autoStart: true,
  provides: INotebookBcc,
  optional: [
    ITranslator,
    ISettingRegistry,
    ICommandPalette,
    IMainMenu,
    ILayoutRestorer,
    ILauncher,
    IStatusBar,
    INotebookTracker,
    IDocumentManager,
    ILabShell
  ],
  activate: (
    app: JupyterFrontEnd,
    translator: ITranslator | null,
    settingRegistry: ISettingRegistry | null,
    palette: ICommandPalette | null,
    mainMenu: IMainMenu | null,
    restorer: ILayoutRestorer | null,
    launcher: ILauncher | null,
    statusBar: IStatusBar | null,
    tracker: INotebookTracker | null,
    docManager: IDocumentManager | null,
    labShell: ILabShell | null
  ): INotebookBcc => {
    const speaker = translator ?? nullTranslator;
    const trans = speaker.load(DOMAIN);
    const client = clientFor(app.serviceManager.serverSettings);
    const model = new Model(client);
    const link = new NotebookLink(
      app.commands,
      app.shell,
      tracker,
      model,
      labShell === null
    );
    const { contents } = app.serviceManager;
    const files = new Files(contents, docManager, speaker, trans);
    const sidebar = new Sidebar({
      model,
      feed: new RunFeed(model),
      trans,
      language: speaker.languageCode.slice(0, 2),
      link,
      files,
      commands: app.commands,
      kept: new KeptDraft()
    });
    sidebar.id = SIDEBAR_ID;

    addCommands({ app, model, sidebar, link, trans });
    for (const command of PALETTE) {
      palette?.addItem({
        command,
        category: trans.__('Notebook-BCC'),
        args: { isPalette: true }
      });
    }
    mainMenu?.viewMenu.addGroup([{ command: CommandIDs.open }], 20);
    mainMenu?.runMenu.addGroup([{ command: CommandIDs.start }], 20);
    launcher?.add({
      command: CommandIDs.start,
      category: trans.__('Notebook-BCC'),
      rank: 0
    });

    app.shell.add(sidebar, 'right', { rank: 700, type: 'Notebook-BCC' });
    restorer?.add(sidebar, SIDEBAR_ID);
    const show = (): void => {
      app.shell.activateById(SIDEBAR_ID);
    };
    statusBar?.registerStatusItem('notebook-bcc-ext:status', {
      item: new StatusItem(model, trans, show),
      align: 'middle',
      isActive: () => model.runs.length > 0,
      activeStateChanged: model.stateChanged
    });
    new Attention(model, sidebar, trans, runId => {
      model.select(runId);
      show();
    });
    new OpenStarted(model, link, files);
    if (tracker) {
      showNotices(model, tracker);
    }
    if (settingRegistry) {
      void followSettings(settingRegistry, model, trans);
    }
    client.connect();
    return model;
  }
};

async function followSettings(
  registry: ISettingRegistry,
  model: Model,
  trans: TranslationBundle
): Promise<void> {
  registry.transform(PLUGIN_ID, {
    fetch: fetched => ({
      ...fetched,
      schema: translateSchema(fetched.schema, trans)
    })
  });
  try {
    const settings = await registry.load(PLUGIN_ID);
    const update = (changed: ISettingRegistry.ISettings): void => {
      model.settings = readSettings(changed.composite);
    };
    settings.changed.connect(update);
    update(settings);
  } catch (reason) {
    // The sidebar still works with the defaults.
    console.error('notebook-bcc: settings could not be loaded', reason);
  }
}

export default plugin;
