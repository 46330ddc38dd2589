import type { Pending } from '../../protocol';

type Json = Record<string, unknown>;

export interface IEditStep {
  id: string;
  name: string;
  /** Everything else the planner said about it; kept as it is. */
  raw: Json;
}

export interface IEditStage {
  id: string;
  name: string;
  raw: Json;
  steps: readonly IEditStep[];
}

export type EditPlan = readonly IEditStage[];

export function isEditable(kind: Pending['kind']): boolean {
  return kind === 'workflow' || kind === 'steps' || kind === 'plan';
}

/** The plan in a question, as the editor sees it: a list of steps is one stage. */
export function planOf(pending: Pending, content: Json | null): EditPlan {
  if (content === null) {
    return [];
  }
  if (pending.kind === 'steps') {
    const id = text(content.stage_id);
    return [{ id, name: id, raw: {}, steps: stepsOf(content.updated_steps) }];
  }
  const inner = content.updated_workflow ?? content;
  return list(record(inner).stages).map(stage => ({
    id: text(stage.id),
    name: nameOf(stage),
    raw: stage,
    steps: stepsOf(stage.steps)
  }));
}

/** The content of the question with the edited plan in it. */
export function editedContent(pending: Pending, plan: EditPlan): Json {
  const { kind, content } = pending;
  if (kind === 'steps') {
    return { ...content, updated_steps: (plan[0]?.steps ?? []).map(toStep) };
  }
  const stages = plan.map(stage => ({
    ...stage.raw,
    id: stage.id,
    name: stage.name,
    steps: stage.steps.map(toStep)
  }));
  if (kind === 'plan') {
    return { ...content, stages };
  }
  const { updated_workflow: inner } = content;
  return inner === undefined
    ? { ...content, stages }
    : { ...content, updated_workflow: { ...record(inner), stages } };
}

export function renameStep(
  plan: EditPlan,
  stage: number,
  step: number,
  name: string
): EditPlan {
  return inStage(plan, stage, steps =>
    steps.map((one, at) => (at === step ? { ...one, name } : one))
  );
}

export function moveStep(
  plan: EditPlan,
  stage: number,
  step: number,
  by: -1 | 1
): EditPlan {
  return inStage(plan, stage, steps => {
    const target = step + by;
    const moved = steps[step];
    const other = steps[target];
    if (!moved || !other) {
      return steps;
    }
    return steps.map((one, at) =>
      at === step ? other : at === target ? moved : one
    );
  });
}

export function removeStep(
  plan: EditPlan,
  stage: number,
  step: number
): EditPlan {
  return inStage(plan, stage, steps => steps.filter((_, at) => at !== step));
}

/** A new last step; its id is one that the stage does not have yet. */
export function addStep(plan: EditPlan, stage: number, name: string): EditPlan {
  return inStage(plan, stage, steps => {
    const taken = new Set(steps.map(({ id }) => id));
    let number = steps.length + 1;
    while (taken.has(`step_${String(number)}`)) {
      number += 1;
    }
    return [...steps, { id: `step_${String(number)}`, name, raw: {} }];
  });
}

function inStage(
  plan: EditPlan,
  stage: number,
  change: (steps: readonly IEditStep[]) => readonly IEditStep[]
): EditPlan {
  return plan.map((one, at) =>
    at === stage ? { ...one, steps: change(one.steps) } : one
  );
}

function stepsOf(value: unknown): IEditStep[] {
  return list(value).map(raw => ({
    id: text(raw.id),
    name: nameOf(raw),
    raw
  }));
}

function toStep(step: IEditStep): Json {
  return { ...step.raw, id: step.id, name: step.name };
}

function nameOf(raw: Json): string {
  return text(raw.name) || text(raw.id);
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function record(value: unknown): Json {
  return typeof value === 'object' && value !== null ? (value as Json) : {};
}

function list(value: unknown): Json[] {
  return Array.isArray(value) ? value.map(record) : [];
}
