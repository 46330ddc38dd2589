import { YNotebook } from '@jupyter/ydoc';
import type { INotebookModel } from '@jupyterlab/notebook';

import type { LoggedOp } from '../../protocol';
import { Mirror } from '../mirror';
import type { ICell, INotebook } from '../notebook-json';

function cell(id: string, source = `text of ${id}`): ICell {
  return { id, cell_type: 'markdown', source, metadata: { of: id } };
}

function notebook(...cells: ICell[]): INotebook {
  return { nbformat: 4, nbformat_minor: 5, metadata: {}, cells };
}

function open(...cells: ICell[]): { shared: YNotebook; mirror: Mirror } {
  const shared = YNotebook.create({ data: notebook(...cells) as never });
  const model = { sharedModel: shared, dirty: false, cells: [] };
  return {
    shared,
    mirror: new Mirror(model as unknown as INotebookModel)
  };
}

function inserted(id: string, after: string | null, seq = 1): LoggedOp {
  const op = { op: 'insert', after_id: after, cell: cell(id) };
  return { seq, op } as unknown as LoggedOp;
}

describe('C9: the cell that JupyterLab shows in an empty notebook', () => {
  const ids = (mirror: Mirror): string[] =>
    mirror.toJSON().cells.map(({ id }) => id);

  it('goes when a run writes the first cell', () => {
    const { mirror } = open(cell('own', ''));
    mirror.apply([inserted('a', null)], new Set(), 'log');
    expect(ids(mirror)).toEqual(['a']);
    expect(mirror.isDirty).toBe(false);
  });

  it.each([
    ['somebody wrote into it', cell('own', 'x'), null],
    ['the file has it', cell('own', ''), 'own']
  ])('stays when %s', (_, own, after) => {
    const { mirror } = open(own);
    mirror.apply([inserted('a', after)], new Set(), 'log');
    expect(ids(mirror).sort()).toEqual(['a', 'own']);
  });

  it('is no part of what is merged with a file that has cells', () => {
    const { mirror } = open(cell('own', ''));
    expect(mirror.toJSONBeside(notebook(cell('a'))).cells).toEqual([]);
    expect(mirror.toJSONBeside(notebook()).cells).toHaveLength(1);
    const saved = notebook(cell('own', ''), cell('a'));
    expect(mirror.toJSONBeside(saved).cells).toHaveLength(1);
  });
});

describe('patching the open notebook', () => {
  it('moves cells with all they have', () => {
    const { mirror, shared } = open(cell('a'), cell('b'), cell('c'), cell('d'));
    mirror.patch(notebook(cell('d'), cell('a'), cell('c'), cell('b')));
    expect(mirror.toJSON().cells).toMatchObject([
      cell('d'),
      cell('a'),
      cell('c'),
      cell('b')
    ]);
    expect(shared.cells.map(({ source }) => source)).toEqual([
      'text of d',
      'text of a',
      'text of c',
      'text of b'
    ]);
  });

  it('touches only cells that are in another place', () => {
    const { mirror, shared } = open(cell('a'), cell('b'), cell('c'), cell('d'));
    const before = new Map(shared.cells.map(one => [one.id, one]));
    mirror.patch(notebook(cell('b'), cell('c'), cell('d'), cell('a')));
    const same = shared.cells.filter(one => before.get(one.id) === one);
    expect(same.map(({ id }) => id)).toEqual(['b', 'c', 'd']);
  });
});
