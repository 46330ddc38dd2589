import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { INotebookTracker, type NotebookPanel } from '@jupyterlab/notebook';
import {
  RestContentProvider,
  type Contents,
  type IContentProvider
} from '@jupyterlab/services';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

// eslint-disable-next-line jupyter/prefer-lazy-imports -- open notebooks are followed from the start
import { clientFor, type Client } from '../connection/client';
import { NotebookApi } from '../connection/notebook-api';
import { INotebookBcc } from '../tokens';
// eslint-disable-next-line jupyter/prefer-lazy-imports -- restored notebooks need it at start
import { Follower } from './follow';
import { CellsInPage } from './page';
import { LiveContentProvider, PROVIDER_ID } from './provider';
// eslint-disable-next-line jupyter/prefer-lazy-imports -- restored notebooks need it at start
import { LiveNotebook } from './session';

/**
 * Cells of a run appear in the open notebook, and saving never asks about our own writes.
 */
const plugin: JupyterFrontEndPlugin<void> = {
  id: 'notebook-bcc-ext:live',
  description: 'Shows cells in the open notebook as a run writes them.',
  autoStart: true,
  requires: [INotebookTracker, INotebookBcc],
  optional: [ITranslator],
  activate: (
    app: JupyterFrontEnd,
    tracker: INotebookTracker,
    bcc: INotebookBcc,
    translator: ITranslator | null
  ): void => {
    const trans = (translator ?? nullTranslator).load('notebook_bcc_ext');
    const { contents, serverSettings } = app.serviceManager;
    const client = clientFor(serverSettings);
    const api = new NotebookApi(serverSettings);
    const plain = new RestContentProvider({
      apiEndpoint: 'api/contents',
      serverSettings
    });
    const provider = new LiveContentProvider(plain);
    defaultDrive(contents)?.contentProviderRegistry?.register(
      PROVIDER_ID,
      provider
    );
    const follow = (_: unknown, panel: NotebookPanel): void => {
      void followPanel(panel, {
        contents,
        client,
        api,
        provider,
        decorate: ({ log }) => {
          new CellsInPage(panel, log, bcc, trans);
          new Follower(panel, log, bcc);
        }
      });
    };
    tracker.widgetAdded.connect(follow);
    tracker.forEach(panel => {
      follow(tracker, panel);
    });
  }
};

interface IParts {
  contents: Contents.IManager;
  client: Client;
  api: NotebookApi;
  provider: LiveContentProvider;
  decorate: (session: LiveNotebook) => void;
}

async function followPanel(
  panel: NotebookPanel,
  { contents, client, api, provider, decorate }: IParts
): Promise<void> {
  const { context } = panel;
  if (contents.driveName(context.path) !== '') {
    return; // Another drive's files are not behind our server.
  }
  await context.ready;
  if (panel.isDisposed || context.model.collaborative) {
    return; // In a shared document the server itself writes the cells.
  }
  const key = panel.id;
  const known = [...provider.sessions.values()].some(
    session => session.context === context
  );
  if (known) {
    return;
  }
  const theirs = takeOver(context, contents);
  const session = new LiveNotebook(context, client, api, theirs);
  provider.sessions.set(key, session);
  decorate(session);
  context.disposed.connect(() => {
    provider.sessions.delete(key);
    session.dispose();
  });
}

/**
 * Make a context read and save through our provider; the one it had, if there was one.
 *
 * The widget factory has a slot for providers, but it takes one owner only and counts for every
 * drive, whether it has such a provider or not. A context has a slot of its own.
 */
function takeOver(
  context: NotebookPanel['context'],
  contents: Contents.IManager
): IContentProvider | null {
  const slot = context as unknown as { _contentProviderId?: string };
  const theirs = slot._contentProviderId;
  slot._contentProviderId = PROVIDER_ID;
  const registry = defaultDrive(contents)?.contentProviderRegistry;
  return registry?.getProvider(theirs) ?? null;
}

function defaultDrive(
  contents: Contents.IManager
): Contents.IDrive | undefined {
  return (contents as { defaultDrive?: Contents.IDrive }).defaultDrive;
}

export default plugin;
