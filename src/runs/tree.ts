import type { ActivityNode, RunProgress } from '../protocol';

/** What was under way when the run was cancelled did not fail. */
export type RowStatus = ActivityNode['status'] | 'cancelled';

/** One line of the tree as it is shown. */
export interface IRow {
  key: string;
  level: 1 | 2 | 3 | 4;
  name: string;
  status: RowStatus;
  /** What happened there; nothing for what is still to come. */
  node: ActivityNode | undefined;
  children: number;
  expanded: boolean;
}

/** The server keeps no more either. */
const MAX_ACTIONS = 5_000;

/**
 * What happened in a run, by key and by parent. Grows node by node; a change of a node is found
 * and replaced without looking at the others.
 */
export class Tree {
  /** The newest change that is in here. */
  get revision(): number {
    return this._revision;
  }

  node(key: string): ActivityNode | undefined {
    return this._nodes.get(key);
  }

  children(key: string): readonly string[] {
    return this._children.get(key) ?? [];
  }

  add(nodes: readonly ActivityNode[]): void {
    for (const node of nodes) {
      if (!this._nodes.has(node.key)) {
        const parent = parentOf(node.key);
        const siblings = this._children.get(parent);
        if (siblings) {
          siblings.push(node.key);
        } else {
          this._children.set(parent, [node.key]);
        }
        if (node.level === 'action') {
          this._actions.add(node.key);
        }
      }
      this._nodes.set(node.key, node);
      this._revision = Math.max(this._revision, node.revision);
    }
    this._forgetOldActions();
  }

  clear(): void {
    this._nodes.clear();
    this._children.clear();
    this._actions.clear();
    this._revision = 0;
  }

  private _forgetOldActions(): void {
    for (const key of this._actions) {
      if (this._actions.size <= MAX_ACTIONS) {
        return;
      }
      this._actions.delete(key);
      this._nodes.delete(key);
      // The oldest action is the first of its group.
      this._children.get(parentOf(key))?.shift();
    }
  }

  private readonly _nodes = new Map<string, ActivityNode>();
  private readonly _children = new Map<string, string[]>();
  /** In the order they began. */
  private readonly _actions = new Set<string>();
  private _revision = 0;
}

export function parentOf(key: string): string {
  return key.slice(0, Math.max(0, key.lastIndexOf('/')));
}

/** Some rows of their own, or the actions of one group: those become rows only when shown. */
type Segment = { start: number } & (
  | { rows: IRow[]; parent?: undefined }
  | { parent: string; actions: readonly string[] }
);

/**
 * The lines to show: the plan, and below each step that has begun what happened there. Costs as
 * much as there are stages, steps and groups in sight, however many actions there were.
 */
export class PlanRows {
  constructor(
    progress: RunProgress,
    private readonly _tree: Tree,
    private readonly _isExpanded: (key: string, active: boolean) => boolean,
    private readonly _isCancelled = false
  ) {
    for (const stage of progress.stages) {
      const { id, name, status, steps } = stage;
      if (!this._add(id, 1, name, status, steps.length)) {
        continue;
      }
      for (const step of steps) {
        const key = `${id}/${step.id}`;
        const groups = _tree.children(key);
        if (this._add(key, 2, step.name, step.status, groups.length)) {
          this._addGroups(groups);
        }
      }
    }
  }

  get length(): number {
    return this._length;
  }

  at(index: number): IRow | undefined {
    return this.slice(index, index + 1)[0];
  }

  slice(start: number, end: number): IRow[] {
    const found: IRow[] = [];
    for (const segment of this._segments) {
      const from = Math.max(0, start - segment.start);
      const to = end - segment.start;
      if (to <= 0) {
        break;
      }
      if (segment.parent === undefined) {
        found.push(...segment.rows.slice(from, to));
      } else {
        for (const key of segment.actions.slice(from, to)) {
          found.push(this._action(key));
        }
      }
    }
    return found;
  }

  indexOf(key: string): number {
    const parent = parentOf(key);
    for (const segment of this._segments) {
      const at =
        segment.parent === undefined
          ? segment.rows.findIndex(row => row.key === key)
          : segment.parent === parent
            ? segment.actions.lastIndexOf(key)
            : -1;
      if (at >= 0) {
        return segment.start + at;
      }
    }
    return -1;
  }

  private _addGroups(keys: readonly string[]): void {
    for (const key of keys) {
      const node = this._tree.node(key);
      if (!node) {
        continue;
      }
      const actions = this._tree.children(key);
      if (this._add(key, 3, node.name, node.status, actions.length)) {
        this._segments.push({ start: this._length, parent: key, actions });
        this._length += actions.length;
      }
    }
  }

  /** Whether what is below it is shown, too. */
  private _add(
    key: string,
    level: IRow['level'],
    name: string,
    happened: ActivityNode['status'],
    children: number
  ): boolean {
    const node = this._tree.node(key);
    const status = this._shown(happened, node);
    const active = status === 'running' || status === 'failed';
    const expanded = children > 0 && this._isExpanded(key, active);
    const row = { key, level, name, status, node, children, expanded };
    const last = this._segments.at(-1);
    if (last && last.parent === undefined) {
      last.rows.push(row);
    } else {
      this._segments.push({ start: this._length, rows: [row] });
    }
    this._length += 1;
    return expanded;
  }

  private _shown(
    happened: ActivityNode['status'],
    node: ActivityNode | undefined
  ): RowStatus {
    const stopped = this._isCancelled && happened === 'failed' && !node?.error;
    return stopped ? 'cancelled' : happened;
  }

  private _action(key: string): IRow {
    const node = this._tree.node(key);
    return {
      key,
      level: 4,
      name: node?.name ?? '',
      status: this._shown(node?.status ?? 'pending', node),
      node,
      children: 0,
      expanded: false
    };
  }

  private readonly _segments: Segment[] = [];
  private _length = 0;
}
