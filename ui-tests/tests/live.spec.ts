import { expect, test } from '../fixtures';

import { saves, watchSaves } from '../bench/page-watch';
import {
  expectNoDialog,
  expectNoDoubles,
  expectSameOnDisk,
  inPage,
  isDirty,
  makeNotebook,
  onDisk,
  openNotebook,
  reloadPage,
  save,
  sources,
  startRun,
  typeInCell,
  untilStatus,
  type ISeenCell
} from '../live';
import { code, hold, RUN, stream, streamed, text } from '../planner';

test.describe('a run in the open notebook', () => {
  test('cells, outputs and prompts appear as they come', async ({
    page,
    live
  }) => {
    await live.open(['own = 1']);
    // JupyterLab itself notes the kernel in a notebook that is opened for the first time.
    await save(page);
    const loop = 'for i in range(3):\n    print("line", i)';
    await live.run([
      text('# From the run'),
      hold('code'),
      code(loop),
      RUN,
      code('1 / 0'),
      hold('end')
    ]);
    const heading = page.locator('.jp-Notebook h1', {
      hasText: 'From the run'
    });
    await expect(heading).toBeVisible();
    live.release('code');
    await expect(
      page.locator('.jp-OutputArea-output', { hasText: 'line 2' })
    ).toBeVisible();
    await expect(page.locator('.jp-InputPrompt').nth(2)).toHaveText('[1]:');
    live.release('end');
    await live.until('done');
    expect(await isDirty(page)).toBe(false);
    await live.expectCells(['own = 1', '# From the run', loop, '1 / 0']);
  });

  test('the user types meanwhile, and scroll, cursor and undo are theirs', async ({
    page,
    live
  }) => {
    await live.open(['first', 'second', 'third']);
    await typeInCell(page, 1, ' edited');
    // The stream is held now and then: what was sent must be seen without what comes after.
    const lines = stream(50, 0.05);
    await live.run([
      ...lines.slice(0, 40),
      hold('20 seen'),
      ...lines.slice(40, 80),
      hold('40 seen'),
      ...lines.slice(80)
    ]);
    for (let index = 0; index < 20; index++) {
      await page.keyboard.type(` w${String(index)}`, { delay: 10 });
      if (index === 8) {
        await expect(live.cells).toHaveCount(23);
        live.release('20 seen');
      }
      if (index === 16) {
        await expect(live.cells).toHaveCount(43);
        live.release('40 seen');
      }
    }
    await live.until('done');
    await expect(live.cells).toHaveCount(53);
    const typed = Array.from({ length: 20 }, (_, i) => ` w${String(i)}`);
    const expected = `second edited${typed.join('')}`;
    let cells = await inPage(page);
    expect(cells[1]?.source).toBe(expected);
    // Still in edit mode in the same cell, with the cursor at the end.
    await page.keyboard.type('!');
    cells = await inPage(page);
    expect(cells[1]?.source).toBe(`${expected}!`);
    expect(
      await page.locator('.jp-WindowedPanel-outer').evaluate(n => n.scrollTop)
    ).toBeLessThan(50);
    for (let index = 0; index < 40; index++) {
      await page.keyboard.press('Control+z');
    }
    cells = await inPage(page);
    expect(cells[1]?.source).toBe('second');
    expect(sources(cells).slice(3)).toEqual(streamed(50));
    await page.keyboard.type(' again');
    cells = await expectSameOnDisk(page, live.path);
    expect(cells[1]?.source).toBe('second again');
    await expectNoDialog(page);
  });

  test('saving twenty times during it raises no dialog and loses nothing', async ({
    page,
    live
  }) => {
    await live.open(['first']);
    await live.run([...stream(60, 0.05), code('print("done")'), RUN]);
    for (let index = 0; index < 20; index++) {
      await typeInCell(page, 0, ` ${String(index)}`);
      await page.keyboard.press('Control+s');
      await expectNoDialog(page);
    }
    await live.until('done');
    const cells = await expectSameOnDisk(page, live.path);
    const own = Array.from({ length: 20 }, (_, i) => ` ${String(i)}`).join('');
    expect(sources(cells)).toEqual([
      `first${own}`,
      ...streamed(60),
      'print("done")'
    ]);
    expectNoDoubles(cells);
    await expectNoDialog(page);
    await expect.poll(async () => await isDirty(page)).toBe(false);
  });
});

test('lines of output stream in, and the file is not saved for each of them', async ({
  page,
  live
}) => {
  await live.open();
  await watchSaves(page, live.path);
  const lines = Array.from({ length: 150 }, (_, i) => `line ${String(i)}\n`);
  await live.run([
    code(
      'import time\nfor i in range(150):\n    print("line", i)\n    time.sleep(1 / 30)'
    ),
    RUN
  ]);
  const cell = live.cells.nth(1);
  await expect(cell.locator('.jp-OutputArea-output')).toContainText('line 9');
  await expect(cell.locator('.jp-InputPrompt')).toHaveText('[*]:');
  await live.until('done');
  const written = (await saves(page)).filter(({ by }) => by === 'run');
  expect(written.length).toBeLessThan(lines.length / 10);
  const [, seen] = await expectSameOnDisk(page, live.path);
  expect(seen?.outputs).toEqual([
    { output_type: 'stream', name: 'stdout', text: lines.join('') }
  ]);
  await expectNoDialog(page);
});

test.describe('autosave', () => {
  test.use({
    mockSettings: {
      '@jupyterlab/docmanager-extension:plugin': { autosaveInterval: 1 },
      '@jupyterlab/apputils-extension:notification': {
        checkForUpdates: false,
        fetchNews: 'false'
      }
    }
  });

  test('keeps what is typed during a run, without a dialog', async ({
    page,
    live
  }) => {
    await live.open(['first']);
    await live.run(stream(50, 0.1));
    await typeInCell(page, 0, '');
    for (let index = 0; index < 30; index++) {
      await page.keyboard.type(` ${String(index)}`, { delay: 30 });
    }
    await live.until('done');
    const own = Array.from({ length: 30 }, (_, i) => ` ${String(i)}`).join('');
    const wanted = [`first${own}`, ...streamed(50)];
    // JupyterLab waits ten times as long as its last save took, which was while it was busy.
    await expect
      .poll(async () => sources(await onDisk(page, live.path)), {
        timeout: 90_000
      })
      .toEqual(wanted);
    expect(sources(await inPage(page))).toEqual(wanted);
    await expectNoDialog(page);
  });
});

for (const [what, request] of [
  ['its check of the file', '?content=0&hash=1'],
  ['its writing', 'PUT']
] as const) {
  test(`a run that begins between a save and ${what} raises no dialog`, async ({
    page,
    live
  }) => {
    await live.open();
    await typeInCell(page, 0, ' typed');
    let hasRun = false;
    await page.route('**/api/contents/**', async route => {
      const asked = `${route.request().method()} ${route.request().url()}`;
      if (!hasRun && asked.includes(request) && asked.includes('a.ipynb')) {
        hasRun = true;
        await live.run(stream(5, 0));
        await live.until('done');
      }
      await route.continue();
    });
    await Promise.race([save(page), page.waitForSelector('.jp-Dialog')]);
    expect(hasRun).toBe(true);
    await expectNoDialog(page);
    await page.unrouteAll();
    await save(page);
    await live.expectCells(['own typed', ...streamed(5)]);
  });
}

test.describe('no browser, or a new one', () => {
  test('a notebook that is closed, or does not exist yet, gets the same cells', async ({
    page,
    tmpPath,
    started
  }) => {
    test.setTimeout(240_000);
    const planner = await started.start([
      ...stream(5, 0),
      code('print(6 * 7)'),
      RUN
    ]);
    const [open, closed, missing] = ['open', 'closed', 'missing'].map(
      name => `${tmpPath}/${name}.ipynb`
    ) as [string, string, string];
    await makeNotebook(page, open, ['own']);
    await makeNotebook(page, closed, ['own']);
    await openNotebook(page, open);
    const runs = [
      await startRun(page, open, planner),
      await startRun(page, closed, planner),
      await startRun(page, missing, planner)
    ];
    for (const run of runs) {
      await untilStatus(page, run, 'done');
    }
    const withoutIds = (cells: ISeenCell[]): ISeenCell[] =>
      cells.map(cell => ({ ...cell, id: '' }));
    const seen = withoutIds(await expectSameOnDisk(page, open));
    expect(withoutIds(await onDisk(page, closed))).toEqual(seen);
    const made = await onDisk(page, missing);
    expect(withoutIds(made)).toEqual(seen.slice(1));
    await openNotebook(page, missing);
    expect(await inPage(page)).toEqual(made);
    await expectNoDialog(page);
  });

  test('a reload, and a tab that is closed and opened again', async ({
    page,
    live
  }) => {
    await live.open(['first']);
    await live.run([
      ...stream(20, 0.05),
      hold('reloaded'),
      ...stream(20, 0.05),
      hold('closed'),
      code('from IPython.display import HTML\nHTML("<b id=\'bold\'>bold</b>")'),
      RUN,
      hold('end')
    ]);
    await expect.poll(async () => await live.cells.count()).toBeGreaterThan(5);
    await reloadPage(page);
    await live.openAgain();
    await expect(live.cells).toHaveCount(21);
    live.release('reloaded');
    await expect.poll(async () => await live.cells.count()).toBeGreaterThan(25);
    // Otherwise JupyterLab asks about the kernel's name that it has noted in the notebook.
    await save(page);
    await page.evaluate(async () => {
      await window.jupyterapp.commands.execute('application:close');
    });
    await expect(live.cells).toHaveCount(0);
    live.release('closed');
    await live.openAgain();
    await expect(live.cells).toHaveCount(42);
    await expect(page.locator('#bold')).toBeVisible();
    live.release('end');
    await live.until('done');
    const seen = await expectSameOnDisk(page, live.path);
    expect(sources(seen).slice(0, 41)).toEqual([
      'first',
      ...streamed(20),
      ...streamed(20)
    ]);
    expectNoDoubles(seen);
    await reloadPage(page);
    await live.openAgain();
    await expect(page.locator('#bold')).toBeVisible();
    await expectNoDialog(page);
  });
});
