import type { TranslationBundle } from '@jupyterlab/translation';

import type { ICall } from '../connection/api';
import type { Command, RunView, State } from '../protocol';
import type { RowStatus } from '../runs/tree';
import type { ApprovalPolicy } from '../settings';
import type { Connection } from '../tokens';

export type CommandName = Command['command'];

export function stateWords(state: State, trans: TranslationBundle): string {
  switch (state) {
    case 'idle':
      return trans.__('Ready, no run in progress');
    case 'stage_running':
      return trans.__('Working on a stage');
    case 'step_running':
      return trans.__('Working on a step');
    case 'behavior_running':
      return trans.__('The planner is writing the next cells');
    case 'action_running':
      return trans.__('Writing or running a cell');
    case 'action_completed':
      return trans.__('Cell finished');
    case 'behavior_completed':
      return trans.__('Group of cells finished');
    case 'step_completed':
      return trans.__('Step finished');
    case 'stage_completed':
      return trans.__('Stage finished');
    case 'workflow_completed':
      return trans.__('Workflow finished');
    case 'error':
      return trans.__('Stopped by an error');
    case 'cancelled':
      return trans.__('Cancelled');
    case 'workflow_update_pending':
      return trans.__('A change to the workflow is proposed');
    case 'step_update_pending':
      return trans.__('A change to the steps is proposed');
  }
}

export function connectionWords(
  connection: Connection,
  trans: TranslationBundle
): string {
  switch (connection) {
    case 'connecting':
      return trans.__('Connecting…');
    case 'connected':
      return trans.__('Connected');
    case 'reconnecting':
      return trans.__('Reconnecting…');
  }
}

export function approvalWords(
  approval: ApprovalPolicy,
  trans: TranslationBundle
): string {
  switch (approval) {
    case 'updates':
      return trans.__('Changes to the plan');
    case 'behaviors':
      return trans.__('Changes to the plan and each group of cells');
    case 'code':
      return trans.__('Changes to the plan and every code cell');
    case 'none':
      return trans.__('Nothing');
  }
}

export function statusWords(
  status: RunView['status'],
  trans: TranslationBundle
): string {
  switch (status) {
    case 'running':
      return trans.__('Running');
    case 'paused':
      return trans.__('Paused');
    case 'waiting':
      return trans.__('Waiting for you');
    case 'done':
      return trans.__('Finished');
    case 'failed':
      return trans.__('Failed');
    case 'cancelled':
      return trans.__('Cancelled');
  }
}

export function nodeWords(status: RowStatus, trans: TranslationBundle): string {
  switch (status) {
    case 'pending':
      return trans.__('to come');
    case 'running':
      return trans.__('in progress');
    case 'done':
      return trans.__('done');
    case 'skipped':
      return trans.__('not done');
    case 'failed':
      return trans.__('failed');
    case 'cancelled':
      return trans.__('cancelled');
  }
}

export function pauseWords(
  reason: string,
  trans: TranslationBundle
): string | null {
  switch (reason) {
    case 'user':
      return trans.__('Paused by you');
    case 'step':
      return trans.__('Paused after one action');
    case 'limit':
      return trans.__('Paused: the limit of actions is reached');
    case 'interactive':
      return trans.__('Paused after every action, as the settings say');
    case 'error':
      return trans.__('Paused: the last call did not work');
    case 'budget':
      return trans.__('Paused: the budget of calls, time or bytes is used up');
    case 'restart':
      return trans.__('Paused: the server was restarted');
    case 'kernel':
      return trans.__(
        'Paused: the kernel is a new one, without the variables of the cells above. Resume to be asked again'
      );
    default:
      return null;
  }
}

export function doingWords(
  what: NonNullable<RunView['doing']>['what'],
  trans: TranslationBundle
): string {
  switch (what) {
    case 'kernel':
      return trans.__('The kernel is starting');
    case 'planning':
      return trans.__('The planner is thinking about the next move');
    case 'feedback':
      return trans.__('The planner is judging the result');
    case 'generating':
      return trans.__('The planner is writing');
    case 'action':
      return trans.__('A cell is being written');
    case 'cell':
      return trans.__('A cell is running');
  }
}

/** Label of a command to a run, and what it will do. */
export function commandWords(
  command: CommandName,
  trans: TranslationBundle
): { label: string; effect: string } {
  switch (command) {
    case 'confirm':
      return {
        label: trans.__('Confirm'),
        effect: trans.__('The run goes on with what is shown.')
      };
    case 'reject':
      return {
        label: trans.__('Reject'),
        effect: trans.__('Asks for a reason, which the planner is told.')
      };
    case 'pause':
      return {
        label: trans.__('Pause'),
        effect: trans.__('Stops before the next action.')
      };
    case 'resume':
      return {
        label: trans.__('Resume'),
        effect: trans.__('Goes on where it paused.')
      };
    case 'step':
      return {
        label: trans.__('Single step'),
        effect: trans.__('Does one action and pauses again.')
      };
    case 'cancel':
      return {
        label: trans.__('Cancel the run'),
        effect: trans.__(
          'Ends the run now and interrupts a running cell. The notebook keeps its cells.'
        )
      };
    case 'debug':
      return {
        label: trans.__('Debug with the planner'),
        effect: trans.__(
          'Tells the planner the error and lets it repair what failed. New cells replace those of the failed attempt; cells that you changed stay.'
        )
      };
    case 'retry':
      return {
        label: trans.__('Retry'),
        effect: trans.__(
          'Tries what failed once more. New cells replace those of the failed attempt; cells that you changed stay.'
        )
      };
    case 'restart':
      return {
        label: trans.__('Restart'),
        effect: trans.__(
          'Begins the workflow again at its first stage. New cells replace those of this run; cells that you changed stay.'
        )
      };
    case 'reset':
      return {
        label: trans.__('Reset'),
        effect: trans.__(
          'Takes the cells of this run out of the notebook and forgets its plan. Cells that you changed stay.'
        )
      };
  }
}

export function callWords(
  kind: ICall['kind'],
  trans: TranslationBundle
): string {
  switch (kind) {
    case 'planning':
      return trans.__('Planning');
    case 'generating':
      return trans.__('Writing cells');
    case 'feedback':
      return trans.__('Judging');
  }
}

/** The one name of what can be asked for in several places: palette, menu, launcher and sidebar. */
export const commandNames = {
  start: (trans: TranslationBundle) => trans.__('New Notebook-BCC Run'),
  follow: (trans: TranslationBundle) => trans.__('Follow the Run'),
  toggleCode: (trans: TranslationBundle) => trans.__('Show or Hide the Code')
} as const;
