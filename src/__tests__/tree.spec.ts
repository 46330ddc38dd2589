import type { ActivityNode, RunProgress } from '../protocol';
import { parentOf, rowsOf, Tree } from '../tree';

function node(key: string, revision: number, more = {}): ActivityNode {
  const levels = ['stage', 'step', 'behavior', 'action'] as const;
  const level = levels[key.split('/').length - 1];
  return {
    key,
    level,
    revision,
    name: key,
    status: 'done',
    ...more
  } as ActivityNode;
}

const PROGRESS = {
  stages: [
    {
      id: 'load',
      name: 'Load',
      status: 'running',
      steps: [
        { id: 'read', name: 'Read', status: 'running', behaviors: 1 },
        { id: 'look', name: 'Look', status: 'pending', behaviors: 0 }
      ]
    },
    { id: 'end', name: 'End', status: 'pending', steps: [] }
  ]
} as unknown as RunProgress;

describe('The tree', () => {
  it('takes each change of a node once', () => {
    const tree = new Tree();
    tree.add([node('load', 1), node('load/read', 2)]);
    tree.add([node('load/read', 5, { status: 'failed' })]);
    expect(tree.children('load')).toEqual(['load/read']);
    expect(tree.node('load/read')?.status).toBe('failed');
    expect(tree.revision).toBe(5);
    tree.clear();
    expect(tree.revision).toBe(0);
    expect(tree.children('load')).toEqual([]);
  });

  it('shows the plan, and below it what happened where it is open', () => {
    const tree = new Tree();
    tree.add([
      node('load', 1),
      node('load/read', 2),
      node('load/read/1', 3, { status: 'running' }),
      node('load/read/1/action-1', 4)
    ]);
    const active = rowsOf(PROGRESS, tree, (_, running) => running);
    expect(active.map(({ key, level }) => [level, key])).toEqual([
      [1, 'load'],
      [2, 'load/read'],
      [3, 'load/read/1'],
      [4, 'load/read/1/action-1'],
      [2, 'load/look'],
      [1, 'end']
    ]);
    const closed = rowsOf(PROGRESS, tree, () => false);
    expect(closed.map(({ key }) => key)).toEqual(['load', 'end']);
  });

  it('does not walk through what is closed', () => {
    const tree = new Tree();
    for (let number = 0; number < 2000; number += 1) {
      tree.add([node(`load/read/1/action-${String(number)}`, number + 1)]);
    }
    const asked: string[] = [];
    const rows = rowsOf(PROGRESS, tree, key => {
      asked.push(key);
      return key === 'load';
    });
    expect(rows).toHaveLength(4);
    expect(asked).toEqual(['load']);
  });

  it('knows the parent of a key', () => {
    expect(parentOf('a/b/c')).toBe('a/b');
    expect(parentOf('a')).toBe('');
  });
});
