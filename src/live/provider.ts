import type { Contents, IContentProvider } from '@jupyterlab/services';

import type { LiveNotebook } from './session';

export const PROVIDER_ID = 'notebook-bcc-ext:live';

/**
 * How JupyterLab reads and saves notebooks that a run may be writing.
 *
 * A notebook without a log, or without a session here, goes the way it always went.
 */
export class LiveContentProvider implements IContentProvider {
  constructor(private readonly _plain: IContentProvider) {}

  /** Open notebooks by path. */
  readonly sessions = new Map<string, LiveNotebook>();

  async get(
    path: string,
    options?: Contents.IFetchOptions
  ): Promise<Contents.IModel> {
    const session = this._session(path);
    if (session !== undefined && options?.content === false) {
      try {
        const answer = await session.check();
        if (answer !== null) {
          return answer;
        }
      } catch (reason) {
        // A deleted file, an older server: JupyterLab knows what to do with each.
        console.debug('notebook-bcc: plain check of', path, reason);
      }
    }
    const provider = session?.theirs ?? this._plain;
    const model = await provider.get(path, plainOptions(options));
    if (session !== undefined && options?.content === true) {
      session.loaded(model);
    }
    return model;
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

/** The id of a provider means nothing to the server. */
function plainOptions<T extends object>(options?: T): T {
  const plain = { ...options } as T & { contentProviderId?: string };
  delete plain.contentProviderId;
  return plain;
}
