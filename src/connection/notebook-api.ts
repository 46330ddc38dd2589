import { URLExt } from '@jupyterlab/coreutils';
import { ServerConnection } from '@jupyterlab/services';

import type {
  CheckRequest,
  NotebookState,
  PullRequest,
  SaveRequest
} from '../protocol';
import { API } from './api';

/** Somebody else's change is in the file: merge it, then save again. */
export class StaleBaseError extends Error {}

/** The REST calls of an open notebook. */
export class NotebookApi {
  constructor(private readonly _settings: ServerConnection.ISettings) {}

  async check(request: CheckRequest): Promise<NotebookState> {
    return await this._post('check', request);
  }

  async pull(request: PullRequest): Promise<NotebookState> {
    return await this._post('pull', request);
  }

  async save(request: SaveRequest): Promise<NotebookState> {
    return await this._post('save', request);
  }

  private async _post(name: string, body: object): Promise<NotebookState> {
    const response = await ServerConnection.makeRequest(
      URLExt.join(this._settings.baseUrl, API, 'notebooks', name),
      { method: 'POST', body: JSON.stringify(body) },
      this._settings
    );
    if (response.status === 409) {
      throw new StaleBaseError(await response.text());
    }
    if (!response.ok) {
      throw await ServerConnection.ResponseError.create(response);
    }
    return (await response.json()) as NotebookState;
  }
}
