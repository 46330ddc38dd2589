import type { Change, Pending } from '../../protocol';

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

/** What the planner says about a stage or step; everything else is for programs. */
const FIELDS = ['goal', 'description', 'expected_outputs'] as const;
export type Field = (typeof FIELDS)[number];

/** What would be said differently about a stage or step. */
export function changedFields(
  pending: Pending,
  change: Change
): { field: Field; before: string; after: string }[] {
  const before = rawOf(planOf(pending, pending.before), change);
  const after = rawOf(planOf(pending, pending.content), change);
  return FIELDS.map(field => ({
    field,
    before: words(before[field]),
    after: words(after[field])
  })).filter(one => one.before !== one.after);
}

function rawOf(plan: EditPlan, change: Change): Json {
  if (change.level === 'stage') {
    return plan.find(({ id }) => id === change.id)?.raw ?? {};
  }
  const stage = plan.find(({ id }) => id === change.stage_id);
  return stage?.steps.find(({ id }) => id === change.id)?.raw ?? {};
}

function words(value: unknown): string {
  return Array.isArray(value) ? value.map(String).join(', ') : text(value);
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

export function renameStage(
  plan: EditPlan,
  stage: number,
  name: string
): EditPlan {
  return plan.map((one, at) => (at === stage ? { ...one, name } : one));
}

export function moveStage(plan: EditPlan, stage: number, by: -1 | 1): EditPlan {
  return swapped(plan, stage, stage + by);
}

export function removeStage(plan: EditPlan, stage: number): EditPlan {
  return plan.filter((_, at) => at !== stage);
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
  return inStage(plan, stage, steps => swapped(steps, step, step + by));
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

function swapped<T>(
  items: readonly T[],
  one: number,
  two: number
): readonly T[] {
  const first = items[one];
  const second = items[two];
  if (first === undefined || second === undefined) {
    return items;
  }
  return items.map((item, at) =>
    at === one ? second : at === two ? first : item
  );
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
