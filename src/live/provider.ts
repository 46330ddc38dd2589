import type { Contents, IContentProvider } from '@jupyterlab/services';

import type { LiveNotebook } from './session';

export const PROVIDER_ID = 'notebook-bcc-ext:live';

/**
 * How JupyterLab reads and saves notebooks that a run may be writing.
 *
 * A notebook without a session here, or without a log, is read and saved as it always was: by
 * another extension's provider where the notebook had one, else by the contents API.
 */
export class LiveContentProvider implements IContentProvider {
  constructor(private readonly _plain: IContentProvider) {}

  /** Open notebooks by the id of their panel: paths change while a notebook is open. */
  readonly sessions = new Map<string, LiveNotebook>();

  async get(
    path: string,
    options?: Contents.IFetchOptions
  ): Promise<Contents.IModel> {
    const session = this._session(path);
    const isCheck = session !== undefined && options?.content === false;
    const before = isCheck ? await checked(session) : null;
    if (before !== null) {
      return before;
    }
    const provider = session?.theirs ?? this._plain;
    const model = await provider.get(path, plainOptions(options));
    if (session !== undefined && options?.content === true) {
      session.loaded(model);
    }
    // A run may have begun meanwhile, and then it is the one that has changed the file.
    const after = isCheck ? await checked(session) : null;
    return after ?? model;
  }

  async save(
    path: string,
    options: Partial<Contents.IModel> = {}
  ): Promise<Contents.IModel> {
    const session = this._session(path);
    const provider = session?.theirs ?? this._plain;
    if (session?.hasLog && options.type === 'notebook') {
      return session.theirs === null
        ? await session.save()
        : await session.saveThrough(provider, plainOptions(options));
    }
    const saved = await provider.save(path, plainOptions(options));
    session?.savedWithoutUs(options.content);
    return saved;
  }

  private _session(path: string): LiveNotebook | undefined {
    for (const session of this.sessions.values()) {
      if (!session.isDisposed && session.context.path === path) {
        return session;
      }
    }
    return undefined;
  }
}

/** What is to be said of the file; null where that is JupyterLab's own affair. */
async function checked(session: LiveNotebook): Promise<Contents.IModel | null> {
  try {
    return await session.check();
  } catch (reason) {
    // A deleted file, an older server: JupyterLab knows what to do with each.
    console.debug('notebook-bcc: plain check of', session.context.path, reason);
    return null;
  }
}

/** The id of a provider means nothing to the server. */
function plainOptions<T extends object>(options?: T): T {
  const plain = { ...options } as T & { contentProviderId?: string };
  delete plain.contentProviderId;
  return plain;
}
