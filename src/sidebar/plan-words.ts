import type { TranslationBundle } from '@jupyterlab/translation';

import type { Change, Pending } from '../protocol';
import type { Field } from './approve/plan-edit';

export function changeWords(
  change: Change['change'],
  trans: TranslationBundle
): string {
  switch (change) {
    case 'added':
      return trans.__('Added');
    case 'removed':
      return trans.__('Removed');
    case 'renamed':
      return trans.__('Renamed');
    case 'moved':
      return trans.__('Moved');
    case 'changed':
      return trans.__('Changed');
  }
}

export function fieldWords(field: Field, trans: TranslationBundle): string {
  switch (field) {
    case 'goal':
      return trans.__('Goal');
    case 'description':
      return trans.__('Description');
    case 'expected_outputs':
      return trans.__('Expected results');
  }
}

export function levelWords(
  level: Change['level'],
  trans: TranslationBundle
): string {
  switch (level) {
    case 'workflow':
      return trans.__('workflow');
    case 'stage':
      return trans.__('stage');
    case 'step':
      return trans.__('step');
  }
}

export function pendingWords(
  kind: Pending['kind'],
  trans: TranslationBundle
): string {
  switch (kind) {
    case 'workflow':
      return trans.__('The planner wants to change the workflow');
    case 'steps':
      return trans.__('The planner wants to change the steps of a stage');
    case 'plan':
      return trans.__('Start with this plan?');
    case 'behavior':
      return trans.__('Write and run the next group of cells?');
    case 'code':
      return trans.__('Run this cell?');
    case 'rebuild':
      return trans.__(
        'The kernel is a new one: run the earlier cells again to rebuild it?'
      );
  }
}

/** A group of cells that the planner gave no goal has a number instead of a name. */
export function behaviorWords(
  name: string,
  iteration: number,
  trans: TranslationBundle
): string {
  return /^behavior_\d+$/.test(name)
    ? trans.__('Group of cells %1', String(iteration))
    : name;
}

/** An action as people say it; the server tells its type and the first line of its content. */
export function actionWords(label: string, trans: TranslationBundle): string {
  const [, kind = label, line = ''] = /^(\w+)(?:: (.*))?$/.exec(label) ?? [];
  const text = line.replace(/^#+\s*/, '');
  switch (kind) {
    case 'exec':
    case 'execute_code':
      return trans.__('Run the cell');
    case 'add':
      return trans.__('Cell: %1', text);
    case 'new_chapter':
      return trans.__('Chapter: %1', text);
    case 'new_section':
      return trans.__('Section: %1', text);
    case 'new_step':
      return trans.__('Heading: %1', text);
    case 'update_title':
      return trans.__('Title: %1', text);
    case 'is_thinking':
      return trans.__('Thinking');
    case 'finish_thinking':
      return trans.__('Finished thinking');
    case 'update_workflow':
      return trans.__('Proposal: another workflow');
    case 'update_stage_steps':
      return trans.__('Proposal: other steps');
    case 'end_phase':
      return trans.__('End of the step');
    case 'comment_result':
      return trans.__('Comment: %1', text);
    default:
      return label;
  }
}

/** What a planner was not told, by the name that the protocol has for it. */
export function leftOutWords(kind: string, trans: TranslationBundle): string {
  switch (kind) {
    case 'variables':
      return trans.__('variables');
    case 'effects':
    case 'outputs':
    case 'findings':
      return trans.__('outputs');
    case 'cells':
    case 'notebook':
      return trans.__('parts of the notebook');
    case 'completed':
    case 'remaining':
    case 'workflow_progress':
      return trans.__('parts of the plan');
    case 'goals':
    case 'focus':
      return trans.__('goals');
    case 'toDoList':
      return trans.__('entries of the to-do list');
    case 'section_progress':
      return trans.__('sections');
    case 'transitions':
      return trans.__('earlier states');
    default:
      return trans.__('other things');
  }
}
