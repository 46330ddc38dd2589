import { PathExt } from '@jupyterlab/coreutils';
import type { IDocumentManager } from '@jupyterlab/docmanager';
import type { Contents } from '@jupyterlab/services';
import type { ITranslator, TranslationBundle } from '@jupyterlab/translation';

/** Endings of files that a table can be read from. */
const TABLES = ['.csv', '.tsv', '.parquet', '.xlsx'];

/** Beyond that many files of one name the person is asked for another. */
const MOST_ALIKE = 1_000;

export function isTable(name: string): boolean {
  const lower = name.toLowerCase();
  return TABLES.some(ending => lower.endsWith(ending));
}

/** A path as the notebook's kernel sees it: the kernel starts in the notebook's folder. */
export function fromNotebook(notebook: string, path: string): string {
  return PathExt.relative(PathExt.dirname(notebook), path) || path;
}

/**
 * The server's files, as far as the start form needs them.
 */
export class Files {
  constructor(
    private readonly _contents: Contents.IManager,
    private readonly _docManager: IDocumentManager | null,
    private readonly _translator: ITranslator,
    private readonly _trans: TranslationBundle
  ) {}

  get canPick(): boolean {
    return this._docManager !== null;
  }

  /** The tables in a folder; none when the folder cannot be read. */
  async tablesIn(folder: string): Promise<string[]> {
    try {
      const listed = await this._contents.get(folder, { content: true });
      const files = (listed.content ?? []) as Contents.IModel[];
      return files
        .filter(({ type, name }) => type !== 'directory' && isTable(name))
        .map(({ path }) => path);
    } catch {
      return [];
    }
  }

  async exists(path: string): Promise<boolean> {
    try {
      await this._contents.get(path, { content: false });
      return true;
    } catch {
      return false;
    }
  }

  /** A file by its path, or else by its path within `folder`; null where there is none. */
  async find(path: string, folder: string): Promise<string | null> {
    const within = PathExt.join(folder, path);
    if (await this.exists(path)) {
      return path;
    }
    return (await this.exists(within)) ? within : null;
  }

  /** The path itself, or with the lowest number that makes it one of no file. */
  async free(path: string): Promise<string> {
    const ending = PathExt.extname(path);
    const stem = path.slice(0, path.length - ending.length);
    let name = path;
    for (let number = 2; number < MOST_ALIKE; number++) {
      if (!(await this.exists(name))) {
        break;
      }
      name = `${stem}-${String(number)}${ending}`;
    }
    return name;
  }

  /** Let the person choose a file; null when they did not. */
  async pick(folder: string): Promise<string | null> {
    if (!this._docManager) {
      return null;
    }
    const { FileDialog } = await import('@jupyterlab/filebrowser');
    const result = await FileDialog.getOpenFiles({
      manager: this._docManager,
      translator: this._translator,
      title: this._trans.__('Choose the data file'),
      ...(folder && { defaultPath: folder })
    });
    const chosen = result.button.accept ? result.value?.[0] : undefined;
    return chosen && chosen.type !== 'directory' ? chosen.path : null;
  }
}
