import { expect, test } from '@jupyterlab/galata';

import {
  changeCell,
  command,
  expectNoDialog,
  expectNoDoubles,
  expectSameOnDisk,
  inPage,
  makeNotebook,
  onDisk,
  openNotebook,
  save,
  secondTab,
  sources,
  startRun,
  typeInCell,
  untilStatus
} from '../live';
import { hold, Planner, stream, streamed, text } from '../planner';

// Guards against hanging only: two pages, a kernel and a stream take long on a busy machine.
test.setTimeout(240_000);

let planner: Planner | null = null;

test.afterEach(async () => {
  await planner?.stop();
  planner = null;
});

test('two tabs mirror, type and save at the same time', async ({
  page,
  tmpPath
}) => {
  const path = `${tmpPath}/a.ipynb`;
  await makeNotebook(page, path, ['first', 'second']);
  await openNotebook(page, path);
  const other = await secondTab(page, path);
  planner = await Planner.start(stream(40, 0.1));
  const run = await startRun(page, path, planner);
  for (let index = 0; index < 5; index++) {
    await typeInCell(page, 0, ` a${String(index)}`);
    await save(page);
    await typeInCell(other, 1, ` b${String(index)}`);
    await save(other);
  }
  await untilStatus(page, run, 'done');
  const wanted = [
    'first a0 a1 a2 a3 a4',
    'second b0 b1 b2 b3 b4',
    ...streamed(40)
  ];
  await expect
    .poll(async () => sources(await inPage(page)), { timeout: 20_000 })
    .toEqual(wanted);
  await expect
    .poll(async () => sources(await inPage(other)), { timeout: 20_000 })
    .toEqual(wanted);
  expectNoDoubles(await expectSameOnDisk(page, path));
  expect(await inPage(other)).toEqual(await inPage(page));
  await expectNoDialog(page);
  await expectNoDialog(other);
  await other.close();
});

test('the same cell rewritten in two tabs asks, and overwrites only what it says', async ({
  page,
  tmpPath
}) => {
  const path = `${tmpPath}/a.ipynb`;
  await makeNotebook(page, path, ['shared', 'other']);
  await openNotebook(page, path);
  planner = await Planner.start([text('from the run'), hold('end')]);
  const run = await startRun(page, path, planner);
  await expect(page.locator('.jp-Notebook:visible .jp-Cell')).toHaveCount(3);
  const other = await secondTab(page, path);
  await typeInCell(page, 0, ' by one');
  await typeInCell(other, 0, ' by two');
  await save(page);
  await typeInCell(other, 1, '!');
  await other.keyboard.press('Control+s');
  await expect(other.locator('.jp-Dialog')).toContainText('changed on disk');
  await other.locator('.jp-Dialog button', { hasText: 'Overwrite' }).click();
  await expect
    .poll(async () => sources(await onDisk(page, path)))
    .toEqual(['shared by two', 'other!', 'from the run']);
  planner.release('end');
  await untilStatus(page, run, 'done');
  await other.close();
});

test('what the user does to our cells is respected', async ({
  page,
  tmpPath
}) => {
  const path = `${tmpPath}/a.ipynb`;
  await makeNotebook(page, path, ['own']);
  await openNotebook(page, path);
  planner = await Planner.start([
    ...stream(6, 0),
    hold('edited'),
    text('late 1'),
    hold('saved'),
    text('late 2')
  ]);
  const run = await startRun(page, path, planner);
  const shown = page.locator('.jp-Notebook:visible .jp-Cell');
  await expect(shown).toHaveCount(7);
  const ids = (await inPage(page)).map(({ id }) => id);
  await changeCell(page, ids[2] ?? '', 'delete');
  await changeCell(page, ids[4] ?? '', 'move up');
  await changeCell(page, ids[5] ?? '', 'split');
  await changeCell(page, ids[6] ?? '', { append: ' mine' });
  planner.release('edited');
  await expect(shown).toHaveCount(8);
  await save(page);
  planner.release('saved');
  await untilStatus(page, run, 'done');
  await expect(shown).toHaveCount(9);
  const cells = await expectSameOnDisk(page, path);
  expect(sources(cells)).toEqual([
    'own',
    'cell 1',
    'cell 4',
    'cell 3',
    'cell',
    ' 5',
    'cell 6 mine',
    'late 1',
    'late 2'
  ]);
  expectNoDoubles(cells);
  await expectNoDialog(page);
});

test('a renamed notebook takes its run along', async ({ page, tmpPath }) => {
  const path = `${tmpPath}/a.ipynb`;
  const renamed = `${tmpPath}/b.ipynb`;
  await makeNotebook(page, path, ['own']);
  await openNotebook(page, path);
  planner = await Planner.start([
    ...stream(5, 0),
    hold('renamed'),
    text('after')
  ]);
  const run = await startRun(page, path, planner);
  const shown = page.locator('.jp-Notebook:visible .jp-Cell');
  await expect(shown).toHaveCount(6);
  await page.evaluate(async () => {
    const panel = window.jupyterapp.shell.currentWidget as unknown as {
      context: { rename(name: string): Promise<void> };
    };
    await panel.context.rename('b.ipynb');
  });
  await typeInCell(page, 0, ' edited');
  await save(page);
  planner.release('renamed');
  await untilStatus(page, run, 'done');
  await expect(shown).toHaveCount(7);
  const cells = await expectSameOnDisk(page, renamed);
  expect(sources(cells)).toEqual(['own edited', ...streamed(5), 'after']);
  const old = await page.request.get(`/api/contents/${path}?content=0`);
  expect(old.status()).toBe(404);
  await expectNoDialog(page);
});

test('a deleted notebook stops its run, and retry makes it again', async ({
  page,
  tmpPath
}) => {
  const path = `${tmpPath}/a.ipynb`;
  await makeNotebook(page, path, ['own']);
  planner = await Planner.start([
    ...stream(3, 0),
    hold('deleted'),
    ...Array.from({ length: 20 }, (_, i) => [
      text(`more ${String(i)}`),
      0.3
    ]).flat()
  ]);
  const run = await startRun(page, path, planner);
  await expect
    .poll(async () => (await onDisk(page, path)).length, { timeout: 20_000 })
    .toBe(4);
  await page.request.delete(`/api/contents/${path}`);
  planner.release('deleted');
  const stopped = await untilStatus(page, run, 'failed', 'paused');
  expect(stopped.error?.message).toContain('was deleted or moved');
  await command(page, run, 'retry');
  await untilStatus(page, run, 'done');
  const cells = await onDisk(page, path);
  expect(sources(cells).slice(0, 4)).toEqual(['own', ...streamed(3)]);
  expectNoDoubles(cells);
});

test('what another program saves is merged into the open tab', async ({
  page,
  tmpPath
}) => {
  const path = `${tmpPath}/a.ipynb`;
  await makeNotebook(page, path, ['first', 'second']);
  await openNotebook(page, path);
  planner = await Planner.start([...stream(3, 0), hold('end'), text('last')]);
  const run = await startRun(page, path, planner);
  const shown = page.locator('.jp-Notebook:visible .jp-Cell');
  await expect(shown).toHaveCount(5);
  await expect
    .poll(async () => (await onDisk(page, path)).length, { timeout: 20_000 })
    .toBe(5);
  await typeInCell(page, 0, ' typed');
  const response = await page.request.get(`/api/contents/${path}?content=1`);
  const model = (await response.json()) as {
    content: { cells: { source: string }[] };
  };
  const cell = model.content.cells[1];
  if (cell) {
    cell.source = 'second, by a program';
  }
  await page.request.put(`/api/contents/${path}`, {
    data: { type: 'notebook', format: 'json', content: model.content }
  });
  await expect
    .poll(async () => (await inPage(page))[1]?.source)
    .toBe('second, by a program');
  planner.release('end');
  await untilStatus(page, run, 'done');
  const cells = await expectSameOnDisk(page, path);
  expect(sources(cells)).toEqual([
    'first typed',
    'second, by a program',
    ...streamed(3),
    'last'
  ]);
  await expectNoDialog(page);
});
