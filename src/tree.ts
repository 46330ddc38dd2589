import type { ActivityNode, RunProgress } from './protocol';

/** One line of the tree as it is shown. */
export interface IRow {
  key: string;
  level: 1 | 2 | 3 | 4;
  name: string;
  status: ActivityNode['status'];
  /** What happened there; nothing for what is still to come. */
  node: ActivityNode | undefined;
  children: number;
  expanded: boolean;
}

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
      }
      this._nodes.set(node.key, node);
      this._revision = Math.max(this._revision, node.revision);
    }
  }

  clear(): void {
    this._nodes.clear();
    this._children.clear();
    this._revision = 0;
  }

  private readonly _nodes = new Map<string, ActivityNode>();
  private readonly _children = new Map<string, string[]>();
  private _revision = 0;
}

export function parentOf(key: string): string {
  return key.slice(0, Math.max(0, key.lastIndexOf('/')));
}

/**
 * The lines to show: the plan, and below each step that has begun what happened there. Only what
 * is expanded is walked through.
 */
export function rowsOf(
  progress: RunProgress,
  tree: Tree,
  isExpanded: (key: string, running: boolean) => boolean
): IRow[] {
  const rows: IRow[] = [];
  const walk = (key: string, level: 3 | 4): void => {
    for (const child of tree.children(key)) {
      const node = tree.node(child);
      if (!node) {
        continue;
      }
      const children = tree.children(child).length;
      const expanded =
        children > 0 && isExpanded(child, node.status === 'running');
      const { name, status } = node;
      rows.push({ key: child, level, name, status, node, children, expanded });
      if (expanded) {
        walk(child, 4);
      }
    }
  };
  for (const stage of progress.stages) {
    const running = stage.status === 'running' || stage.status === 'failed';
    const expanded = stage.steps.length > 0 && isExpanded(stage.id, running);
    rows.push({
      key: stage.id,
      level: 1,
      name: stage.name,
      status: stage.status,
      node: tree.node(stage.id),
      children: stage.steps.length,
      expanded
    });
    if (!expanded) {
      continue;
    }
    for (const step of stage.steps) {
      const key = `${stage.id}/${step.id}`;
      const children = tree.children(key).length;
      const active = step.status === 'running' || step.status === 'failed';
      const open = children > 0 && isExpanded(key, active);
      rows.push({
        key,
        level: 2,
        name: step.name,
        status: step.status,
        node: tree.node(key),
        children,
        expanded: open
      });
      if (open) {
        walk(key, 3);
      }
    }
  }
  return rows;
}
