import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

export const UI_TESTS = __dirname;
const CONFIG = resolve(UI_TESTS, 'jupyter_server_test_config.py');
// Unlikely to be taken, and below the range from which systems hand out ports.
const FIRST_PORT = Number(process.env.BCC_UI_TEST_PORT ?? 28417);
const START_MS = 120_000;

/** A JupyterLab that shares nothing with the user's own, nor with another one of the tests. */
export class LabServer {
  /** `index` tells those that run at the same time apart. */
  static async start(index: number): Promise<LabServer> {
    const server = new LabServer(FIRST_PORT + index);
    const until = Date.now() + START_MS;
    while (!(await server._answers())) {
      if (Date.now() > until || server._child.exitCode !== null) {
        await server.stop();
        throw new Error(`no JupyterLab at ${server.url}`);
      }
      await new Promise(wait => setTimeout(wait, 100));
    }
    return server;
  }

  private constructor(port: number) {
    const folder = (name: string): string => {
      const path = join(this._home, name);
      mkdirSync(path);
      return path;
    };
    this.url = `http://127.0.0.1:${String(port)}`;
    this._child = spawn(
      resolve(UI_TESTS, '../.venv/bin/jupyter'),
      ['lab', '--allow-root', '--no-browser', '--config', CONFIG],
      {
        env: {
          ...process.env,
          BCC_UI_PORT: String(port),
          BCC_UI_WORKSPACES: folder('workspaces'),
          JUPYTERLAB_GALATA_ROOT_DIR: folder('files'),
          JUPYTERLAB_SETTINGS_DIR: folder('settings'),
          JUPYTER_CONFIG_DIR: folder('config'),
          JUPYTER_DATA_DIR: folder('data'),
          JUPYTER_RUNTIME_DIR: folder('runtime'),
          IPYTHONDIR: folder('ipython')
        },
        stdio: ['ignore', 'ignore', 'inherit']
      }
    );
  }

  readonly url: string;

  async stop(): Promise<void> {
    if (this._child.exitCode === null) {
      const ended = once(this._child, 'exit');
      this._child.kill('SIGTERM');
      await ended;
    }
    rmSync(this._home, { recursive: true, force: true, maxRetries: 5 });
  }

  private async _answers(): Promise<boolean> {
    try {
      return (await fetch(`${this.url}/lab`)).ok;
    } catch {
      return false;
    }
  }

  private readonly _home = mkdtempSync(join(tmpdir(), 'notebook-bcc-ui-'));
  private readonly _child;
}
