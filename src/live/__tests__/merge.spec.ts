import { mergeNotebooks } from '../merge';
import {
  applyOperations,
  positionOf,
  type ICell,
  type INotebook,
  type NotebookOp
} from '../notebook-json';

function cell(id: string, source = id): ICell {
  return { id, cell_type: 'markdown', source, metadata: {} };
}

function ran(id: string, text: string): ICell {
  return {
    id,
    cell_type: 'code',
    source: id,
    metadata: { trusted: true },
    outputs: [{ output_type: 'stream', name: 'stdout', text }],
    execution_count: 1
  };
}

function notebook(...cells: ICell[]): INotebook {
  return { cells, metadata: {}, nbformat: 4, nbformat_minor: 5 };
}

function texts(of: INotebook): string[] {
  return of.cells.map(({ source }) => source);
}

describe('mergeNotebooks', () => {
  const base = notebook(cell('a'), cell('b'), cell('c'));

  it('takes what only one side changed from that side', () => {
    const mine = notebook(cell('a', 'mine'), cell('b'), cell('c'));
    const theirs = notebook(cell('a'), cell('b'), cell('c', 'theirs'));
    const merged = mergeNotebooks(base, mine, theirs);
    expect(texts(merged.notebook)).toEqual(['mine', 'b', 'theirs']);
    expect(merged.conflicts).toEqual([]);
  });

  it('says which cells were rewritten on both sides', () => {
    const mine = notebook(cell('a', 'mine'), cell('b'), cell('c'));
    const theirs = notebook(cell('a', 'theirs'), cell('b'), cell('c'));
    expect(mergeNotebooks(base, mine, theirs).conflicts).toEqual(['a']);
    expect(mergeNotebooks(base, mine, mine).conflicts).toEqual([]);
  });

  it('keeps new cells of both sides next to their neighbours', () => {
    const mine = notebook(cell('a'), cell('new'), cell('b'), cell('c'));
    const theirs = notebook(
      cell('first'),
      cell('a'),
      cell('b'),
      cell('x'),
      cell('c')
    );
    const { notebook: merged } = mergeNotebooks(base, mine, theirs);
    expect(texts(merged)).toEqual(['first', 'a', 'new', 'b', 'x', 'c']);
  });

  it('deletes what one side deleted, unless the other rewrote it', () => {
    const mine = notebook(cell('a', 'mine'), cell('c'));
    const theirs = notebook(cell('b', 'theirs'), cell('c'));
    expect(texts(mergeNotebooks(base, mine, base).notebook)).toEqual([
      'mine',
      'c'
    ]);
    expect(texts(mergeNotebooks(base, mine, theirs).notebook).sort()).toEqual([
      'c',
      'mine',
      'theirs'
    ]);
  });

  it('follows the side that moved cells', () => {
    const moved = notebook(cell('c'), cell('a'), cell('b'));
    expect(texts(mergeNotebooks(base, base, moved).notebook)).toEqual([
      'c',
      'a',
      'b'
    ]);
    expect(texts(mergeNotebooks(base, moved, base).notebook)).toEqual([
      'c',
      'a',
      'b'
    ]);
  });

  it('takes outputs with the trust of whoever made them', () => {
    const old = notebook({ ...ran('a', ''), outputs: [], metadata: {} });
    const theirs = notebook(ran('a', 'theirs'));
    const { notebook: merged } = mergeNotebooks(old, old, theirs);
    expect(merged.cells[0]).toEqual(ran('a', 'theirs'));
    const both = mergeNotebooks(old, notebook(ran('a', 'mine')), theirs);
    expect(both.notebook.cells[0]).toEqual(ran('a', 'mine'));
    expect(both.conflicts).toEqual([]);
  });
});

describe('applyOperations', () => {
  const insert = (id: string, after: string | null): NotebookOp => ({
    op: 'insert',
    cell: { ...cell(id) },
    after_id: after
  });

  it('inserts once, after its predecessor, first, or at the end', () => {
    const target = notebook(cell('a'), cell('b'));
    applyOperations(target, [
      insert('x', 'a'),
      insert('x', 'b'),
      insert('top', null),
      insert('end', 'gone')
    ]);
    expect(texts(target)).toEqual(['top', 'a', 'x', 'b', 'end']);
  });

  it('changes cells that are there, and ignores those that are gone', () => {
    const target = notebook(cell('a'), cell('b'));
    applyOperations(target, [
      { op: 'source', cell_id: 'a', source: 'new', if_written: null },
      { op: 'source', cell_id: 'gone', source: 'new', if_written: null },
      { op: 'metadata', cell_id: 'a', metadata: { tag: 1 } },
      { op: 'delete', cell_id: 'b', if_written: null },
      { op: 'notebook_metadata', metadata: { title: 'T' } }
    ]);
    expect(texts(target)).toEqual(['new']);
    expect(target.cells[0]!.metadata).toEqual({ tag: 1 });
    expect(target.metadata).toEqual({ title: 'T' });
  });

  it('B9: merges the state of widgets by model, as the server does', () => {
    const target = notebook(cell('a'));
    const kind = 'application/vnd.jupyter.widget-state+json';
    const widgets = (
      models: Record<string, { n: number } | null>
    ): NotebookOp => ({
      op: 'widgets',
      models
    });
    applyOperations(target, [widgets({ one: { n: 1 }, two: { n: 2 } })]);
    const version = { version_major: 2, version_minor: 0 };
    const state = (models: object): object => ({
      widgets: { [kind]: { ...version, state: models } }
    });
    expect(target.metadata).toEqual(state({ one: { n: 1 }, two: { n: 2 } }));
    applyOperations(target, [widgets({ one: { n: 3 }, two: null })]);
    expect(target.metadata).toEqual(state({ one: { n: 3 } }));
    target.metadata = { widgets: 'of another kind' };
    applyOperations(target, [widgets({ one: { n: 1 } })]);
    expect(target.metadata).toEqual({ widgets: 'of another kind' });
  });

  it('streams outputs as the server does', () => {
    const target = notebook({ ...ran('a', 'old'), metadata: {} });
    const outputs = (
      change: 'append' | 'extend' | 'replace' | 'set' | 'clear',
      text = ''
    ): NotebookOp => ({
      op: 'outputs',
      cell_id: 'a',
      change,
      index: 0,
      text,
      outputs: ['append', 'replace', 'set'].includes(change)
        ? [{ output_type: 'stream', name: 'stdout', text }]
        : [],
      revision: 0
    });
    applyOperations(target, [
      {
        op: 'execution',
        cell_id: 'a',
        state: 'running',
        execution_count: null
      },
      outputs('append', '1'),
      outputs('extend', '2')
    ]);
    expect(target.cells[0]).toEqual({
      ...ran('a', '12'),
      execution_count: null
    });
    applyOperations(target, [outputs('replace', 'r')]);
    expect(target.cells[0]!.outputs).toEqual(ran('a', 'r').outputs);
    applyOperations(target, [outputs('clear'), outputs('extend', 'late')]);
    expect(target.cells[0]!.outputs).toEqual(ran('a', 'late').outputs);
  });
});

describe('positionOf', () => {
  it('reads what the notebook says, and nothing else', () => {
    const notebook_bcc = { log_id: 'l', applied_seq: 3 };
    expect(positionOf({ notebook_bcc })).toEqual({ logId: 'l', seq: 3 });
    expect(positionOf({ notebook_bcc: 'x' })).toEqual({ logId: null, seq: 0 });
    expect(positionOf({})).toEqual({ logId: null, seq: 0 });
  });
});
