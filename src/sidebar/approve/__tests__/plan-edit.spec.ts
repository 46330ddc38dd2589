import type { Pending } from '../../../protocol';
import {
  addStep,
  editedContent,
  moveStep,
  planOf,
  removeStep,
  renameStep
} from '../plan-edit';

const STEPS = [
  { id: 'read', name: 'Read', goal: 'In memory' },
  { id: 'check', expected_outputs: ['df'] }
];

function pending(kind: Pending['kind'], content: Pending['content']): Pending {
  return {
    id: 'p1',
    kind,
    summary: '',
    content,
    before: null,
    changes: [],
    asked_at: ''
  };
}

const OF_STEPS = pending('steps', { stage_id: 'load', updated_steps: STEPS });
const TEMPLATE = {
  name: 'W',
  stages: [{ id: 'load', goal: 'g', steps: STEPS }]
};
const OF_WORKFLOW = pending('workflow', {
  updated_workflow: TEMPLATE,
  next_stage_id: 'load'
});

const idsOf = (content: Record<string, unknown>): string[] =>
  (content.updated_steps as { id: string }[]).map(({ id }) => id);

describe('The plan in a question', () => {
  it('is read from a list of steps and from a workflow alike', () => {
    expect(
      planOf(OF_STEPS, OF_STEPS.content)[0]?.steps.map(s => s.name)
    ).toEqual(['Read', 'check']);
    expect(planOf(OF_WORKFLOW, OF_WORKFLOW.content)[0]?.id).toBe('load');
    expect(planOf(OF_WORKFLOW, null)).toEqual([]);
    expect(planOf(pending('plan', TEMPLATE), TEMPLATE)).toHaveLength(1);
  });

  it('survives what a planner should not have sent', () => {
    const odd = pending('workflow', {
      updated_workflow: { stages: [7, null] }
    });
    expect(planOf(odd, odd.content)).toHaveLength(2);
  });

  it('goes back as it came when nothing was edited, names aside', () => {
    const plan = planOf(OF_WORKFLOW, OF_WORKFLOW.content);
    expect(editedContent(OF_WORKFLOW, plan)).toEqual({
      next_stage_id: 'load',
      updated_workflow: {
        name: 'W',
        stages: [
          {
            id: 'load',
            name: 'load',
            goal: 'g',
            steps: [
              { id: 'read', name: 'Read', goal: 'In memory' },
              { id: 'check', name: 'check', expected_outputs: ['df'] }
            ]
          }
        ]
      }
    });
  });

  it('is renamed, reordered, shortened and extended', () => {
    let plan = planOf(OF_STEPS, OF_STEPS.content);
    plan = renameStep(plan, 0, 1, 'Check it');
    plan = moveStep(plan, 0, 1, -1);
    plan = addStep(plan, 0, 'More');
    expect(idsOf(editedContent(OF_STEPS, plan))).toEqual([
      'check',
      'read',
      'step_3'
    ]);
    plan = removeStep(plan, 0, 1);
    // Two steps are left, and the id of the third is taken.
    plan = addStep(plan, 0, 'Again');
    expect(idsOf(editedContent(OF_STEPS, plan))).toEqual([
      'check',
      'step_3',
      'step_4'
    ]);
    expect(plan[0]?.steps[0]).toMatchObject({
      name: 'Check it',
      raw: { expected_outputs: ['df'] }
    });
  });

  it('cannot be moved beyond its ends', () => {
    const plan = planOf(OF_STEPS, OF_STEPS.content);
    expect(moveStep(plan, 0, 0, -1)).toEqual(plan);
    expect(moveStep(plan, 0, 1, 1)).toEqual(plan);
  });
});
