import type { RunView } from '../protocol';
import type { Model } from '../runs/model';
import type { Files } from './files';
import type { NotebookLink } from './link';

/**
 * Shows the notebook of a run that was started here. The server makes the file if there is none,
 * so it is opened as soon as it is there.
 */
export class OpenStarted {
  constructor(
    model: Model,
    private readonly _link: NotebookLink,
    private readonly _files: Files
  ) {
    model.started.connect((_, run) => {
      this._waiting.set(run.id, run);
      void this._look(run);
    });
    model.happened.connect((_, { runId }) => {
      const run = this._waiting.get(runId);
      if (run) {
        void this._look(run);
      }
    });
  }

  private async _look(run: RunView): Promise<void> {
    if (this._looking || !(await this._there(run.notebook))) {
      return;
    }
    if (this._waiting.delete(run.id)) {
      await this._link.open(run.notebook);
    }
  }

  private async _there(path: string): Promise<boolean> {
    this._looking = true;
    try {
      return await this._files.exists(path);
    } finally {
      this._looking = false;
    }
  }

  private readonly _waiting = new Map<string, RunView>();
  private _looking = false;
}
