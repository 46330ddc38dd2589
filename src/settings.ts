import type { ISettingRegistry } from '@jupyterlab/settingregistry';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { ReadonlyPartialJSONObject } from '@lumino/coreutils';

export type ApprovalPolicy = 'updates' | 'behaviors' | 'code' | 'none';

/**
 * The user's settings, with the names and defaults of `schema/plugin.json`.
 */
export interface ISettings {
  /** Empty: the embedded planner. */
  readonly plannerUrl: string;
  readonly approval: ApprovalPolicy;
  readonly follow: boolean;
  /** Any other settings, by the server's names, for the runs that this person starts. */
  readonly options: Readonly<Record<string, unknown>>;
}

export const DEFAULT_SETTINGS: ISettings = {
  plannerUrl: '',
  approval: 'updates',
  follow: true,
  options: {}
};

const POLICIES: readonly string[] = ['updates', 'behaviors', 'code', 'none'];

export function readSettings(composite: ReadonlyPartialJSONObject): ISettings {
  const { plannerUrl, approval, follow, options } = composite;
  return {
    plannerUrl:
      typeof plannerUrl === 'string'
        ? plannerUrl.trim()
        : DEFAULT_SETTINGS.plannerUrl,
    approval: isPolicy(approval) ? approval : DEFAULT_SETTINGS.approval,
    follow: typeof follow === 'boolean' ? follow : DEFAULT_SETTINGS.follow,
    options: isObject(options) ? options : DEFAULT_SETTINGS.options
  };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isPolicy(value: unknown): value is ApprovalPolicy {
  return typeof value === 'string' && POLICIES.includes(value);
}

/**
 * Translate what the settings editor shows.
 *
 * The server translates schemas only out of language packs, never out of an extension's own
 * catalogue, so this is done here when the schema is fetched.
 */
export function translateSchema<T extends ISettingRegistry.ISchema>(
  schema: T,
  trans: TranslationBundle
): T {
  return translateNode(schema, trans) as T;
}

function translateNode(node: unknown, trans: TranslationBundle): unknown {
  if (Array.isArray(node)) {
    return node.map(item => translateNode(item, trans));
  }
  if (typeof node !== 'object' || node === null) {
    return node;
  }
  return Object.fromEntries(
    Object.entries(node).map(([key, value]) => {
      const isText = key === 'title' || key === 'description';
      return isText && typeof value === 'string'
        ? // eslint-disable-next-line jupyter/no-dynamic-translation -- keys are in the schema file
          [key, trans.__(value)]
        : [key, translateNode(value, trans)];
    })
  );
}
