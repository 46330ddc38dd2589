import type { ActivityNode, RunProgress } from '../../protocol';
import { parentOf, PlanRows, Tree, type IRow } from '../tree';

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

function all(rows: PlanRows): IRow[] {
  return rows.slice(0, rows.length);
}

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
    const active = new PlanRows(PROGRESS, tree, (_, running) => running);
    expect(all(active).map(({ key, level }) => [level, key])).toEqual([
      [1, 'load'],
      [2, 'load/read'],
      [3, 'load/read/1'],
      [4, 'load/read/1/action-1'],
      [2, 'load/look'],
      [1, 'end']
    ]);
    const closed = new PlanRows(PROGRESS, tree, () => false);
    expect(all(closed).map(({ key }) => key)).toEqual(['load', 'end']);
  });

  it('C10: what was under way in a cancelled run did not fail', () => {
    const [stage] = PROGRESS.stages;
    const stopped = {
      ...PROGRESS,
      stages: stage ? [{ ...stage, status: 'failed' as const }] : []
    };
    const statusOf = (isCancelled: boolean): string | undefined =>
      new PlanRows(stopped, new Tree(), () => false, isCancelled).at(0)?.status;
    expect(statusOf(true)).toBe('cancelled');
    expect(statusOf(false)).toBe('failed');
  });

  it('does not walk through what is closed', () => {
    const tree = new Tree();
    for (let number = 0; number < 2000; number += 1) {
      tree.add([node(`load/read/1/action-${String(number)}`, number + 1)]);
    }
    const asked: string[] = [];
    const rows = new PlanRows(PROGRESS, tree, key => {
      asked.push(key);
      return key === 'load';
    });
    expect(all(rows).map(({ key }) => key)).toEqual([
      'load',
      'load/read',
      'load/look',
      'end'
    ]);
    expect(asked).toEqual(['load']);
  });

  it('makes only the rows that are asked for, and finds each', () => {
    const tree = new Tree();
    tree.add([node('load/read/1', 1), node('load/read/2', 2)]);
    for (let number = 0; number < 2000; number += 1) {
      tree.add([node(`load/read/2/action-${String(number)}`, number + 3)]);
    }
    const looked = jest.spyOn(tree, 'node');
    const rows = new PlanRows(PROGRESS, tree, () => true);
    expect(rows).toHaveLength(2006);
    expect(rows.slice(1000, 1002).map(({ key }) => key)).toEqual([
      'load/read/2/action-996',
      'load/read/2/action-997'
    ]);
    expect(looked.mock.calls.length).toBeLessThan(20);
    for (const index of [0, 1, 2, 3, 4, 1500, 2003, 2004, 2005]) {
      expect(rows.indexOf(rows.at(index)?.key ?? '')).toBe(index);
    }
    expect(rows.at(2006)).toBeUndefined();
    expect(rows.indexOf('nowhere')).toBe(-1);
  });

  it('forgets the oldest actions of a very long run', () => {
    const tree = new Tree();
    tree.add([node('load/read/1', 1)]);
    for (let number = 0; number < 5010; number += 1) {
      tree.add([node(`load/read/1/action-${String(number)}`, number + 2)]);
    }
    expect(tree.children('load/read/1')).toHaveLength(5000);
    expect(tree.children('load/read/1')[0]).toBe('load/read/1/action-10');
    expect(tree.node('load/read/1/action-9')).toBeUndefined();
  });

  it('knows the parent of a key', () => {
    expect(parentOf('a/b/c')).toBe('a/b');
    expect(parentOf('a')).toBe('');
  });
});
