import type { NotebookModel } from '@jupyterlab/notebook';

import type { LoggedOp } from '../../protocol';
import { Mirror } from '../mirror';
import type { ICell, NotebookOp } from '../notebook-json';
import {
  codeCell,
  copyOf,
  insertion,
  modelOf,
  notebook,
  textCell
} from './fake-server';

const NOTHING: ReadonlySet<string> = new Set();
const MARK = { notebook_bcc: { run: 'r1', stage: 's1' } };

function open(...cells: ICell[]): { model: NotebookModel; mirror: Mirror } {
  const model = modelOf(notebook(...cells));
  return { model, mirror: new Mirror(model) };
}

function logged(...ops: NotebookOp[]): LoggedOp[] {
  return ops.map((op, index) => ({ seq: index + 1, op }));
}

function ids(mirror: Mirror): string[] {
  return mirror.toJSON().cells.map(({ id }) => id);
}

/** What the cells' own models have: that is what the page draws. */
function drawn(model: NotebookModel): unknown[] {
  return [...model.cells].map(cell => cell.toJSON());
}

describe('the cell that JupyterLab shows in an empty notebook', () => {
  it('goes when a run writes the first cell', () => {
    const { mirror, model } = open(textCell('own', ''));
    mirror.apply(logged(insertion(textCell('a'))), NOTHING, 'log');
    expect(ids(mirror)).toEqual(['a']);
    expect(model.dirty).toBe(false);
  });

  it.each([
    ['somebody wrote into it', textCell('own', 'x'), null],
    ['the file has it', textCell('own', ''), 'own']
  ])('stays when %s', (_, own, after) => {
    const { mirror } = open(own);
    mirror.apply(logged(insertion(textCell('a'), after)), NOTHING, 'log');
    expect(ids(mirror).sort()).toEqual(['a', 'own']);
  });

  it('is no part of what is merged with a file that has cells', () => {
    const { mirror } = open(textCell('own', ''));
    expect(mirror.toJSONBeside(notebook(textCell('a'))).cells).toEqual([]);
    expect(mirror.toJSONBeside(notebook()).cells).toHaveLength(1);
    const saved = notebook(textCell('own', ''), textCell('a'));
    expect(mirror.toJSONBeside(saved).cells).toHaveLength(1);
  });
});

describe('operations of a run in the open notebook', () => {
  const code = codeCell('a', 'print(1)');
  const running = { op: 'execution', cell_id: 'a', state: 'running' };
  const output = {
    op: 'outputs',
    cell_id: 'a',
    change: 'append',
    outputs: [{ output_type: 'stream', name: 'stdout', text: '1\n' }]
  };
  const done = { ...running, state: 'idle', execution_count: 7 };

  it('reach the models that the page draws', () => {
    const { mirror, model } = open(textCell('own'));
    const ops = [insertion(code, 'own'), running, output, done];
    mirror.apply(logged(...(ops as NotebookOp[])), NOTHING, 'log');
    expect(drawn(model).at(-1)).toMatchObject({
      source: 'print(1)',
      execution_count: 7,
      outputs: output.outputs
    });
    expect(mirror.toJSON().cells).toEqual(drawn(model));
  });

  it('leave the notebook as saved as it was', () => {
    const { mirror, model } = open(textCell('own'));
    const ops = [insertion(code, 'own'), running] as NotebookOp[];
    mirror.apply(logged(...ops), NOTHING, 'log');
    expect(model.dirty).toBe(false);
    model.dirty = true;
    mirror.apply(logged(insertion(textCell('b'), 'a')), NOTHING, 'log');
    expect(model.dirty).toBe(true);
  });

  it('are nothing that undo takes back', () => {
    const { mirror, model } = open(textCell('own'));
    mirror.apply(logged(insertion(code, 'own')), NOTHING, 'log');
    expect(model.sharedModel.canUndo()).toBe(false);
  });

  it('trust what was run here, and nothing else', () => {
    const foreign = { ...codeCell('f'), outputs: [], metadata: {} };
    const { mirror, model } = open(foreign, code);
    for (const cell of model.cells) {
      cell.trusted = false;
    }
    mirror.apply(logged(running as NotebookOp), NOTHING, 'log');
    expect([...model.cells].map(({ trusted }) => trusted)).toEqual([
      false,
      true
    ]);
  });

  it('note how far along the log the notebook is', () => {
    const { mirror } = open(textCell('own'));
    expect(mirror.position).toEqual({ logId: null, seq: 0 });
    mirror.apply(logged(insertion(textCell('a'), 'own')), NOTHING, 'log');
    expect(mirror.position).toEqual({ logId: 'log', seq: 1 });
  });

  it('are told from what the person does', () => {
    const { mirror, model } = open(textCell('own'));
    const edited: string[] = [];
    let changes = 0;
    mirror.cellEdited.connect((_, id) => edited.push(id));
    mirror.edited.connect(() => (changes += 1));
    const ours = { ...copyOf(code), metadata: MARK };
    const ops = [insertion(ours, 'own'), running, output] as NotebookOp[];
    mirror.apply(logged(...ops), NOTHING, 'log');
    expect(edited).toEqual([]);
    expect(changes).toBe(0);

    const { sharedModel } = model;
    sharedModel.getCell(0).source = 'not of a run';
    expect(edited).toEqual([]);
    expect(changes).toBeGreaterThan(0);
    sharedModel.getCell(1).source = 'print(2)';
    expect(edited).toEqual(['a']);
    sharedModel.deleteCell(1);
    expect(edited).toEqual(['a', 'a']);
  });
});

describe('patching the open notebook', () => {
  const cell = (id: string): ICell => ({
    ...textCell(id),
    metadata: { of: id }
  });
  const [a, b, c, d] = [cell('a'), cell('b'), cell('c'), cell('d')] as const;

  it('moves cells with all they have', () => {
    const { mirror, model } = open(a, b, c, d);
    mirror.patch(notebook(d, a, c, b));
    expect(mirror.toJSON().cells).toMatchObject([d, a, c, b]);
    expect(drawn(model)).toMatchObject([d, a, c, b]);
  });

  it('touches only cells that are in another place', () => {
    const { mirror, model } = open(a, b, c, d);
    const before = new Set(model.cells);
    mirror.patch(notebook(b, c, d, a));
    const same = [...model.cells].filter(cell => before.has(cell));
    expect(same.map(({ id }) => id)).toEqual(['b', 'c', 'd']);
  });

  it('brings text, metadata, outputs and counts', () => {
    const { mirror, model } = open(codeCell('x', 'old'));
    const outputs = [{ output_type: 'stream', name: 'stdout', text: '1\n' }];
    const target = notebook({
      ...codeCell('x', 'new'),
      metadata: { tags: ['t'], trusted: true },
      outputs,
      execution_count: 3
    });
    mirror.patch(target);
    expect(drawn(model)).toMatchObject([
      { source: 'new', metadata: { tags: ['t'] }, outputs, execution_count: 3 }
    ]);
    expect(model.cells.get(0).trusted).toBe(true);
    expect(model.dirty).toBe(false);
  });
});
