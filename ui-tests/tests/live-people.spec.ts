import { expect, test } from '../fixtures';

import {
  changeCell,
  command,
  expectNoDialog,
  expectNoDoubles,
  expectSameOnDisk,
  inPage,
  onDisk,
  save,
  secondTab,
  sources,
  typeInCell
} from '../live';
import { hold, stream, streamed, text } from '../planner';

test('two tabs mirror, type and save at the same time', async ({
  page,
  live
}) => {
  await live.open(['first', 'second']);
  const other = await secondTab(page, live.path);
  await live.run(stream(40, 0.1));
  for (let index = 0; index < 5; index++) {
    await typeInCell(page, 0, ` a${String(index)}`);
    await save(page);
    await typeInCell(other, 1, ` b${String(index)}`);
    await save(other);
  }
  await live.until('done');
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
  expectNoDoubles(await expectSameOnDisk(page, live.path));
  expect(await inPage(other)).toEqual(await inPage(page));
  await expectNoDialog(page);
  await expectNoDialog(other);
  await other.close();
});

test('the same cell rewritten in two tabs asks, and overwrites only what it says', async ({
  page,
  live
}) => {
  await live.open(['shared', 'other']);
  await live.run([text('from the run'), hold('end')]);
  await expect(live.cells).toHaveCount(3);
  const other = await secondTab(page, live.path);
  await typeInCell(page, 0, ' by one');
  await typeInCell(other, 0, ' by two');
  await save(page);
  await typeInCell(other, 1, '!');
  await other.keyboard.press('Control+s');
  await expect(other.locator('.jp-Dialog')).toContainText('changed on disk');
  await other.locator('.jp-Dialog button', { hasText: 'Overwrite' }).click();
  await expect
    .poll(async () => sources(await onDisk(page, live.path)))
    .toEqual(['shared by two', 'other!', 'from the run']);
  live.release('end');
  await live.until('done');
  await other.close();
});

test('what the user does to our cells is respected', async ({ page, live }) => {
  await live.open();
  await live.run([
    ...stream(6, 0),
    hold('edited'),
    text('late 1'),
    hold('saved'),
    text('late 2')
  ]);
  await expect(live.cells).toHaveCount(7);
  const ids = (await inPage(page)).map(({ id }) => id);
  await changeCell(page, ids[2] ?? '', 'delete');
  await changeCell(page, ids[4] ?? '', 'move up');
  await changeCell(page, ids[5] ?? '', 'split');
  await changeCell(page, ids[6] ?? '', { append: ' mine' });
  live.release('edited');
  await expect(live.cells).toHaveCount(8);
  await save(page);
  live.release('saved');
  await live.until('done');
  await expect(live.cells).toHaveCount(9);
  await live.expectCells([
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
});

test('a renamed notebook takes its run along', async ({ page, live }) => {
  const renamed = `${live.folder}/b.ipynb`;
  await live.open();
  await live.run([...stream(5, 0), hold('renamed'), text('after')]);
  const shown = live.cells;
  await expect(shown).toHaveCount(6);
  await page.evaluate(async () => {
    const panel = window.jupyterapp.shell.currentWidget as unknown as {
      context: { rename(name: string): Promise<void> };
    };
    await panel.context.rename('b.ipynb');
  });
  await typeInCell(page, 0, ' edited');
  await save(page);
  live.release('renamed');
  await live.until('done');
  await expect(shown).toHaveCount(7);
  const cells = await expectSameOnDisk(page, renamed);
  expect(sources(cells)).toEqual(['own edited', ...streamed(5), 'after']);
  const old = await page.request.get(`/api/contents/${live.path}?content=0`);
  expect(old.status()).toBe(404);
  await expectNoDialog(page);
});

test('a deleted notebook stops its run, and retry makes it again', async ({
  page,
  live
}) => {
  await live.make(['own']);
  await live.run([
    ...stream(3, 0),
    hold('deleted'),
    ...Array.from({ length: 20 }, (_, i) => [
      text(`more ${String(i)}`),
      0.3
    ]).flat()
  ]);
  await expect
    .poll(async () => (await onDisk(page, live.path)).length, {
      timeout: 20_000
    })
    .toBe(4);
  await page.request.delete(`/api/contents/${live.path}`);
  live.release('deleted');
  const stopped = await live.until('failed', 'paused');
  expect(stopped.error?.message).toContain('was deleted or moved');
  await command(page, live.runId, 'retry');
  await live.until('done');
  const cells = await onDisk(page, live.path);
  expect(sources(cells).slice(0, 4)).toEqual(['own', ...streamed(3)]);
  expectNoDoubles(cells);
});

test('what another program saves is merged into the open tab', async ({
  page,
  live
}) => {
  await live.open(['first', 'second']);
  await live.run([...stream(3, 0), hold('end'), text('last')]);
  await expect(live.cells).toHaveCount(5);
  await expect
    .poll(async () => (await onDisk(page, live.path)).length, {
      timeout: 20_000
    })
    .toBe(5);
  await typeInCell(page, 0, ' typed');
  const response = await page.request.get(
    `/api/contents/${live.path}?content=1`
  );
  const model = (await response.json()) as {
    content: { cells: { source: string }[] };
  };
  const cell = model.content.cells[1];
  if (cell) {
    cell.source = 'second, by a program';
  }
  await page.request.put(`/api/contents/${live.path}`, {
    data: { type: 'notebook', format: 'json', content: model.content }
  });
  await expect
    .poll(async () => (await inPage(page))[1]?.source)
    .toBe('second, by a program');
  live.release('end');
  await live.until('done');
  await live.expectCells([
    'first typed',
    'second, by a program',
    ...streamed(3),
    'last'
  ]);
});
