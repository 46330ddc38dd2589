import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

export const UI_TESTS = __dirname;
const CONFIG = resolve(UI_TESTS, 'jupyter_server_test_config.py');

export interface IServerCommand {
  command: string;
  args: string[];
  env: Record<string, string>;
  url: string;
}

/**
 * How to start a JupyterLab that shares nothing with the user's own: files, settings, port.
 */
export function serverCommand(port: number): IServerCommand {
  const home = mkdtempSync(join(tmpdir(), 'notebook-bcc-ui-'));
  const folder = (name: string): string => {
    const path = join(home, name);
    mkdirSync(path);
    return path;
  };
  return {
    command: resolve(UI_TESTS, '../.venv/bin/jupyter'),
    args: ['lab', '--allow-root', '--no-browser', '--config', CONFIG],
    env: {
      BCC_UI_PORT: String(port),
      BCC_UI_WORKSPACES: folder('workspaces'),
      JUPYTERLAB_GALATA_ROOT_DIR: folder('files'),
      JUPYTERLAB_SETTINGS_DIR: folder('settings'),
      JUPYTER_CONFIG_DIR: folder('config'),
      JUPYTER_DATA_DIR: folder('data'),
      JUPYTER_RUNTIME_DIR: folder('runtime'),
      IPYTHONDIR: folder('ipython')
    },
    url: `http://127.0.0.1:${String(port)}`
  };
}
