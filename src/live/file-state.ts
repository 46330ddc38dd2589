import type { NotebookPanel } from '@jupyterlab/notebook';
import type { Contents } from '@jupyterlab/services';

type Context = NotebookPanel['context'];

/** The server's name for the state of the file that JupyterLab knows. */
export function nameOf(
  model: Pick<Contents.IModel, 'hash' | 'last_modified'>
): string {
  return model.hash ?? model.last_modified;
}

export function nameKnownTo(context: Context): string | null {
  const model = context.contentsModel;
  return model === null ? null : nameOf(model);
}

/** A contents model; without more it says what JupyterLab believes already. */
export function answerTo(
  context: Context,
  hash?: string,
  lastModified?: string
): Contents.IModel {
  const known = context.contentsModel;
  return {
    ...known,
    content: null,
    hash: hash ?? known?.hash,
    last_modified: lastModified ?? known?.last_modified
  } as Contents.IModel;
}
