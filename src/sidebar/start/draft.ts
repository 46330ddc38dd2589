import { PathExt } from '@jupyterlab/coreutils';
import type { TranslationBundle } from '@jupyterlab/translation';

import { ApiError, type IPlaybook, type NewRun } from '../../connection/api';
import { fromNotebook } from '../../notebook/files';
import type { ApprovalPolicy, ISettings } from '../../settings';

/** What is filled in, before it is a request. */
export interface IDraft {
  goal: string;
  /** Seen from the server's root, as the file browser shows it; or an address. */
  data: string;
  target: 'new' | 'open';
  /** The path of a new notebook. */
  notebook: string;
  /** Whether the person gave it its name. */
  named: boolean;
  planner: 'embedded' | 'http';
  playbook: string;
  url: string;
  approval: ApprovalPolicy;
  /** Of the playbook's own variables. */
  declared: Record<string, string>;
  free: readonly { name: string; value: string }[];
}

/** What every field of the form has. */
export interface IDraftFieldProps {
  draft: IDraft;
  error?: string;
  onChange: (change: Partial<IDraft>) => void;
}

/** The form as the person left it, while the sidebar shows something else. */
export class KeptDraft {
  get draft(): IDraft | null {
    return this._draft;
  }

  keep(draft: IDraft | null): void {
    this._draft = draft;
  }

  private _draft: IDraft | null = null;
}

export type FieldName = 'goal' | 'data' | 'notebook' | 'planner' | 'variables';
/** What is wrong, at the field where it is wrong; `form` where it is none of them. */
export type Problems = Partial<Record<FieldName | 'form', string>>;

/** Declared variables that have a field of their own in the form. */
const OWN_FIELDS: Record<string, 'data' | 'goal'> = {
  data_path: 'data',
  goal: 'goal'
};

/** `staying`: the page shows one notebook, and a new one would open in another page. */
export function firstDraft(settings: ISettings, staying: boolean): IDraft {
  return {
    goal: '',
    data: '',
    target: staying ? 'open' : 'new',
    notebook: '',
    named: false,
    planner: settings.plannerUrl ? 'http' : 'embedded',
    playbook: '',
    url: settings.plannerUrl,
    approval: settings.approval,
    declared: {},
    free: []
  };
}

/** The playbook's variables that need a field: the others are in the form already. */
export function extraVariables(
  playbook: IPlaybook | undefined
): [string, IPlaybook['variables'][string]][] {
  return Object.entries(playbook?.variables ?? {}).filter(
    ([name]) => !(name in OWN_FIELDS)
  );
}

export function notebookPath(typed: string): string {
  const path = typed.trim();
  return path && PathExt.extname(path) !== '.ipynb' ? `${path}.ipynb` : path;
}

export function isServiceAddress(typed: string): boolean {
  try {
    const { protocol, hostname } = new URL(typed.trim());
    return /^https?:$/.test(protocol) && hostname !== '';
  } catch {
    return false;
  }
}

/**
 * The data file as seen from the server's root; null where it cannot be looked for: an address,
 * or a path out of what the server shows.
 */
export function dataPath(typed: string): string | null {
  const data = typed.trim();
  if (!data || /^[/~]|:/.test(data)) {
    return null;
  }
  const path = PathExt.normalize(data);
  return path.startsWith('..') ? null : path;
}

/** A new notebook's path: named after the data, and beside it. */
export function suggestedName(data: string, open: string | null): string {
  const path = dataPath(data);
  const folder = PathExt.dirname(path ?? open ?? '');
  const file = PathExt.basename(path ?? data.trim().replace(/[?#].*/, ''));
  const name = file.replace(/(?<=.)\.[^.]*$/, '').replace(/[\\:]/g, '-');
  return PathExt.join(folder, `${name ? `${name}-report` : 'analysis'}.ipynb`);
}

/** The notebook that the run is to write into. */
export function targetOf(draft: IDraft, open: string | null): string {
  return draft.target === 'open' && open !== null
    ? open
    : notebookPath(draft.notebook);
}

/** What can be told wrong before the server is asked. */
export function problemsOf(
  draft: IDraft,
  notebook: string,
  playbook: IPlaybook | undefined,
  trans: TranslationBundle
): Problems {
  const problems: Problems = {};
  if (!notebook) {
    problems.notebook = trans.__('Name the notebook to write into.');
  }
  const names = draft.free.map(({ name }) => name.trim());
  if (draft.free.some(({ name, value }) => !name.trim() && value.trim())) {
    problems.variables = trans.__('Every variable needs a name.');
  } else if (names.some((name, at) => name && names.indexOf(name) !== at)) {
    problems.variables = trans.__('Two variables have the same name.');
  }
  if (draft.planner === 'http') {
    if (!draft.url.trim()) {
      problems.planner = trans.__('Give the address of the planner service.');
    } else if (!isServiceAddress(draft.url)) {
      problems.planner = trans.__(
        'An address begins with http:// or https:// and names a host.'
      );
    }
    return problems;
  }
  for (const [name, variable] of Object.entries(playbook?.variables ?? {})) {
    const field = OWN_FIELDS[name];
    const value = field ? draft[field] : (draft.declared[name] ?? '');
    if (variable.required && !value.trim()) {
      problems[field ?? 'variables'] = trans.__(
        'This playbook needs it: %1',
        variable.description
      );
    }
  }
  return problems;
}

export function requestOf(
  draft: IDraft,
  notebook: string,
  playbook: IPlaybook | undefined
): NewRun {
  const data = dataPath(draft.data);
  const variables: Record<string, unknown> = {};
  if (draft.planner === 'embedded') {
    for (const [name] of extraVariables(playbook)) {
      const value = draft.declared[name]?.trim();
      if (value) {
        variables[name] = valueOf(value);
      }
    }
  }
  for (const { name, value } of draft.free) {
    if (name.trim()) {
      variables[name.trim()] = valueOf(value.trim());
    }
  }
  return {
    notebook,
    planner:
      draft.planner === 'http'
        ? { kind: 'http', url: draft.url.trim() }
        : { kind: 'embedded', playbook: draft.playbook },
    goal: draft.goal.trim() || null,
    data:
      data === null ? draft.data.trim() || null : fromNotebook(notebook, data),
    variables,
    approval: draft.approval
  };
}

/** A JSON value where it is one, such as a number; otherwise the text itself. */
function valueOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Which field a refusal of the server is about. Where only it knows why, its words stay. */
export function refusalOf(reason: unknown, trans: TranslationBundle): Problems {
  if (!(reason instanceof ApiError)) {
    return {
      form: trans.__('The server was not reached; nothing was changed.')
    };
  }
  const { status, message } = reason;
  if (status === 409) {
    return {
      notebook: trans.__(
        'Another run is still active in this notebook: cancel it, or name another notebook.'
      )
    };
  }
  if (/'planner|base_url|playbook/.test(message)) {
    return { planner: message };
  }
  if (message.includes("'variables")) {
    return { variables: message };
  }
  if (/notebook|\.ipynb/.test(message)) {
    return { notebook: message };
  }
  return { form: message };
}
