import {
  ILayoutRestorer,
  type JupyterFrontEnd,
  type JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';
import { IMainMenu } from '@jupyterlab/mainmenu';
import { ISettingRegistry } from '@jupyterlab/settingregistry';
import {
  ITranslator,
  nullTranslator,
  type TranslationBundle
} from '@jupyterlab/translation';

// eslint-disable-next-line jupyter/prefer-lazy-imports -- the connection is opened at start
import { Client } from './client';
import { addCommands, CommandIDs } from './commands';
import { Model } from './model';
import { readSettings, translateSchema } from './settings';
// eslint-disable-next-line jupyter/prefer-lazy-imports -- the shell needs the widget at start
import { Sidebar } from './sidebar/sidebar';
import { INotebookBcc } from './tokens';

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
    ILayoutRestorer
  ],
  activate: (
    app: JupyterFrontEnd,
    translator: ITranslator | null,
    settingRegistry: ISettingRegistry | null,
    palette: ICommandPalette | null,
    mainMenu: IMainMenu | null,
    restorer: ILayoutRestorer | null
  ): INotebookBcc => {
    const trans = (translator ?? nullTranslator).load(DOMAIN);
    const client = new Client({
      serverSettings: app.serviceManager.serverSettings
    });
    const model = new Model(client);
    const sidebar = new Sidebar({ model, trans, commands: app.commands });
    sidebar.id = SIDEBAR_ID;

    addCommands(app, SIDEBAR_ID, trans);
    palette?.addItem({
      command: CommandIDs.open,
      category: trans.__('Notebook-BCC'),
      args: { isPalette: true }
    });
    mainMenu?.viewMenu.addGroup([{ command: CommandIDs.open }], 20);

    app.shell.add(sidebar, 'right', { rank: 700, type: 'Notebook-BCC' });
    restorer?.add(sidebar, SIDEBAR_ID);
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
