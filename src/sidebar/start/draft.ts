import { PathExt } from '@jupyterlab/coreutils';
import type { TranslationBundle } from '@jupyterlab/translation';

import { ApiError, type IPlaybook, type NewRun } from '../../api';
import type { ApprovalPolicy, ISettings } from '../../settings';

/** What is filled in, before it is a request. */
export interface IDraft {
  goal: string;
  data: string;
  notebook: string;
  planner: 'embedded' | 'http';
  playbook: string;
  url: string;
  approval: ApprovalPolicy;
  /** Of the playbook's own variables. */
  declared: Record<string, string>;
  free: readonly { name: string; value: string }[];
}

export type FieldName = 'goal' | 'data' | 'notebook' | 'planner' | 'variables';
/** What is wrong, at the field where it is wrong; `form` where it is none of them. */
export type Problems = Partial<Record<FieldName | 'form', string>>;

/** Declared variables that have a field of their own in the form. */
const OWN_FIELDS: Record<string, 'data' | 'goal'> = {
  data_path: 'data',
  goal: 'goal'
};

export function firstDraft(
  settings: ISettings,
  notebook: string | null
): IDraft {
  return {
    goal: '',
    data: '',
    notebook: notebook ?? 'analysis.ipynb',
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
 * Where the data file must be, as seen from the server's root; null where it cannot be looked
 * for: an address, or a path out of what the server shows.
 */
export function dataPath(draft: IDraft): string | null {
  const data = draft.data.trim();
  if (
    !data ||
    data.startsWith('/') ||
    data.startsWith('~') ||
    data.includes(':')
  ) {
    return null;
  }
  const folder = PathExt.dirname(notebookPath(draft.notebook));
  const path = PathExt.join(folder, data);
  return path.startsWith('..') ? null : path;
}

/** What can be told wrong before the server is asked. */
export function problemsOf(
  draft: IDraft,
  playbook: IPlaybook | undefined,
  trans: TranslationBundle
): Problems {
  const problems: Problems = {};
  if (!draft.notebook.trim()) {
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
  playbook: IPlaybook | undefined
): NewRun {
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
    notebook: notebookPath(draft.notebook),
    planner:
      draft.planner === 'http'
        ? { kind: 'http', url: draft.url.trim() }
        : { kind: 'embedded', playbook: draft.playbook },
    goal: draft.goal.trim() || null,
    data: draft.data.trim() || null,
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
