import type { TranslationBundle } from '@jupyterlab/translation';

import type { State } from '../protocol';
import type { ApprovalPolicy } from '../settings';
import type { Connection } from '../tokens';

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
      return trans.__('Waiting for you: a change to the workflow is proposed');
    case 'step_update_pending':
      return trans.__('Waiting for you: a change to the steps is proposed');
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
