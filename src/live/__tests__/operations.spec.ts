import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

import { fingerprint } from '../fingerprint';
import { Mirror } from '../mirror';
import {
  applyOperations,
  type INotebook,
  type NotebookOp
} from '../notebook-json';
import { copyOf, modelOf } from './fake-server';

interface ICase {
  name: string;
  before: INotebook;
  operations: NotebookOp[];
  after: INotebook;
}

// The server's own code is tested with the same file (`tests/contracts`).
const FILE = '../../../tests/golden/notebook-operations.json';
const CASES = JSON.parse(
  readFileSync(resolve(__dirname, FILE), 'utf8')
) as ICase[];

/** JupyterLab trusts new cells by itself, and the model notes its place in the log. */
function plain(notebook: INotebook): INotebook {
  const copy = copyOf(notebook);
  delete copy.metadata.notebook_bcc;
  for (const { metadata } of copy.cells) {
    delete metadata.trusted;
  }
  return copy;
}

describe.each(CASES)('$name', ({ before, operations, after }) => {
  it('in the base of a tab', () => {
    const notebook = copyOf(before);
    applyOperations(notebook, operations);
    expect(notebook).toEqual(after);
  });

  it.each([
    ['at once', [operations]],
    ['one by one', operations.map(op => [op])]
  ])('in the open notebook, %s', (_, batches) => {
    const model = modelOf(before);
    const mirror = new Mirror(model);
    let seq = 0;
    for (const batch of batches) {
      const logged = batch.map(op => ({ seq: ++seq, op }));
      mirror.apply(logged, new Set(), 'log');
    }
    expect(plain(mirror.toJSON())).toEqual(plain(after));
    // The page draws the cells' own models, which must not lag behind.
    const drawn = [...model.cells].map(cell => cell.toJSON());
    expect(drawn).toEqual(mirror.toJSON().cells);
    expect(model.dirty).toBe(false);
    expect(model.sharedModel.canUndo()).toBe(false);
  });

  it('in the open notebook, trusting what was run', () => {
    const model = modelOf(before);
    for (const cell of model.cells) {
      cell.trusted = false;
    }
    const logged = operations.map((op, index) => ({ seq: index + 1, op }));
    new Mirror(model).apply(logged, new Set(), 'log');
    const trusted = new Set(
      [...model.cells].filter(cell => cell.trusted).map(({ id }) => id)
    );
    for (const { id, metadata } of after.cells) {
      if (metadata.trusted === true) {
        expect(trusted).toContain(id);
      }
    }
  });
});

it.each([
  ['', 'a3bf885b319fac78'],
  ['x = 1', 'f112502246cfb1be'],
  ['é'.repeat(100), 'cdd742a98f8f26c9'],
  ['a'.repeat(123), '52aea310115e4a41'],
  ['a'.repeat(250), 'e110269f0451251e'],
  ['a'.repeat(300), '52bc00a74f1e9848']
])('a text has the name that the server gives it: %#', (source, name) => {
  expect(fingerprint('code', source)).toBe(name);
});
