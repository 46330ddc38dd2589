import type { TranslationBundle } from '@jupyterlab/translation';

import type { IPlannerCheck } from '../connection/api';
import type { Decision } from '../protocol';
import type { IRefusal } from '../runs/model';

/**
 * What stopped a run, by the class of the server's error. The server's own sentence, which names
 * the place in English, is shown below it.
 */
export function errorWords(kind: string, trans: TranslationBundle): string {
  switch (kind) {
    case 'ActionFailed':
      return trans.__('A cell failed');
    case 'CellInterrupted':
      return trans.__('A cell was interrupted');
    case 'StepsRejected':
      return trans.__('The proposed steps were rejected');
    case 'GoalNotReached':
      return trans.__('The goal of the step was not reached');
    case 'NotAllowed':
      return trans.__(
        'You did not allow it, and the planner knows no other way'
      );
    case 'OutOfStep':
      return trans.__(
        'The planner answers for another place than the run is at'
      );
    case 'LoopGuard':
      return trans.__('The step does not come to an end');
    case 'Planner':
      return trans.__('The planner gave no answer that can be used');
    case 'PlannerUnavailable':
      return trans.__('The planner does not answer');
    case 'PlannerFailing':
      return trans.__('The planner answers with an error');
    case 'PlannerStream':
      return trans.__('The answer of the planner broke off');
    case 'Protocol':
    case 'MissingField':
    case 'UnknownAction':
    case 'InvalidProposal':
      return trans.__('The planner sent something that cannot be used');
    case 'Requirements':
      return trans.__('The kernel lacks what the plan needs');
    case 'Kernel':
    case 'KernelGone':
      return trans.__('The kernel is gone');
    case 'KernelTimeout':
      return trans.__('The kernel does not answer');
    case 'Notebook':
    case 'ForeignChange':
    case 'StaleBase':
      return trans.__('The notebook cannot be written');
    case 'NotebookGone':
      return trans.__('The notebook was deleted or moved away');
    case 'Store':
      return trans.__('The run cannot be stored');
    case 'Settings':
      return trans.__('A setting cannot be used');
    case 'Playbook':
    case 'Rendering':
    case 'Condition':
      return trans.__('The playbook has a mistake');
    default:
      return trans.__('The run stopped on an error');
  }
}

function personOf(decision: Decision, trans: TranslationBundle): string {
  const { decided_by: by } = decision;
  return by === null || by === '' ? trans.__('somebody') : by;
}

/** Who decided what about a question. */
export function decisionWords(
  decision: Decision,
  trans: TranslationBundle
): string {
  const by = personOf(decision, trans);
  if (decision.verdict === 'rejected') {
    return trans.__('Last proposal: rejected by %1', by);
  }
  return decision.edited
    ? trans.__('Last proposal: edited and confirmed by %1', by)
    : trans.__('Last proposal: confirmed by %1', by);
}

/** Why an order was not taken. */
export function refusalWords(
  refusal: IRefusal,
  decision: Decision | null,
  trans: TranslationBundle
): string {
  if (decision !== null && decision.proposal_id === refusal.proposal) {
    const by = personOf(decision, trans);
    return decision.verdict === 'rejected'
      ? trans.__('This was already rejected by %1.', by)
      : trans.__('This was already confirmed by %1.', by);
  }
  switch (refusal.kind) {
    case '':
      return trans.__('The server was not reached; nothing was changed.');
    case 'IllegalCommandError':
      return trans.__('The run does not take this order now.');
    case 'NotFoundError':
      return trans.__('This run is not there any more.');
    case 'InvalidProposalError':
    case 'ProtocolError':
    case 'MissingFieldError':
      return trans.__('The plan cannot be used as it was edited.');
    default:
      return trans.__('The server could not do that.');
  }
}

/** What a look at a planner service found. */
export function checkWords(
  outcome: IPlannerCheck['outcome'],
  trans: TranslationBundle
): string {
  switch (outcome) {
    case 'answers':
      return trans.__('Connection works: a planner answers.');
    case 'silent':
      return trans.__('No connection: no answer within a few seconds.');
    case 'unreachable':
      return trans.__('No connection: nothing answers at this address.');
    case 'no_planner':
      return trans.__('A server answers, but it is no planner.');
    case 'refused':
      return trans.__('The service refuses us: it wants other credentials.');
    case 'error':
      return trans.__('The service answers with an error.');
  }
}
