import { expect, test } from '../fixtures';
import { resolve } from 'node:path';

import {
  expectNoDialog,
  expectNoDoubles,
  expectSameOnDisk,
  inModel,
  inPage,
  onDisk,
  reloadPage,
  save,
  sources,
  typeInCell,
  type LivePage
} from '../live';
import { code, hold, RUN, stream, streamed, text } from '../planner';
import { UI_TESTS } from '../server';

test('cells of a run carry a mark, and the one at work a clear one', async ({
  page,
  live
}) => {
  await live.open(['own = 1']);
  await live.run([
    text('# Written by the run'),
    code('import time\nwhile True: time.sleep(0.1)'),
    RUN
  ]);
  await expect(live.cells.nth(2).locator('.jp-InputPrompt')).toHaveText('[*]:');
  await expect(live.cells.nth(0).locator('.bcc-CellMark')).toHaveCount(0);
  for (const index of [1, 2]) {
    const mark = live.cells.nth(index).locator('.bcc-CellMark');
    await expect(mark).toBeVisible();
    await mark.hover();
    await expect(mark).toHaveAttribute('title', /Written by a run: .+ › .+/);
  }
  await expect(live.cells.nth(1)).not.toHaveClass(/bcc-mod-active/);
  await expect(live.cells.nth(2)).toHaveClass(/bcc-mod-active/);
  const folder = resolve(UI_TESTS, 'screenshots');
  await page.screenshot({ path: resolve(folder, 'marks-light.png') });
  await page.theme.setDarkTheme();
  await page.screenshot({ path: resolve(folder, 'marks-dark.png') });
  const kernel = await page.evaluate(() => {
    const panel = window.jupyterapp.shell.currentWidget as unknown as {
      sessionContext: { session: { kernel: { id: string } } };
    };
    return panel.sessionContext.session.kernel.id;
  });
  await page.request.post(`/api/kernels/${kernel}/interrupt`);
  await live.until('failed', 'paused');
  await expect(page.locator('.bcc-mod-active')).toHaveCount(0);
  // The mark is part of the notebook: it is there after a reload.
  await save(page);
  await reloadPage(page);
  await live.openAgain();
  await expect(live.cells.nth(2).locator('.bcc-CellMark')).toBeVisible();
});

async function global(page: LivePage, name: string): Promise<unknown> {
  return await page.evaluate(
    key => (window as unknown as Record<string, unknown>)[key],
    name
  );
}

test('C2: cells that come in move nothing of what the user reads and wrote', async ({
  page,
  live
}) => {
  const own = Array.from({ length: 40 }, (_, i) => `line = ${String(i)}`);
  own[0] = '# My churn study';
  await live.open(own);
  await live.run([
    hold('placed'),
    // eslint-disable-next-line jupyter/no-untranslated-string -- what a planner sends
    { action: 'update_title', title: 'A title above all' },
    ...stream(50, 0.02)
  ]);
  await typeInCell(page, 0, ', as I type');
  await typeInCell(page, 20, ' # typed');
  for (let index = 0; index < 3; index++) {
    await page.keyboard.press('ArrowLeft');
  }
  const cell = page.locator('.jp-Notebook:visible .jp-Cell', {
    hasText: 'line = 20'
  });
  const state = async (): Promise<unknown> =>
    await page.evaluate(() => {
      const { content } = window.jupyterapp.shell.currentWidget as unknown as {
        content: {
          mode: string;
          selectedCells: { model: { id: string } }[];
          activeCell: {
            model: { id: string };
            editor: { getCursorPosition(): unknown };
          };
        };
      };
      return {
        mode: content.mode,
        active: content.activeCell.model.id,
        selected: content.selectedCells.map(({ model }) => model.id),
        cursor: content.activeCell.editor.getCursorPosition()
      };
    });
  const before = await state();
  const at = await cell.boundingBox();
  live.release('placed');
  await live.until('done');
  await expect
    .poll(async () => (await inPage(page)).length, { timeout: 20_000 })
    .toBe(91);
  expect(await state()).toEqual(before);
  expect(
    Math.abs(((await cell.boundingBox())?.y ?? 0) - (at?.y ?? 0))
  ).toBeLessThan(3);
  await page.keyboard.type('X');
  const cells = await expectSameOnDisk(page, live.path);
  expect(cells[0]?.source).toBe('# My churn study, as I type');
  expect(cells[20]?.source).toBe('line = 20 # tyXped');
  expect(cells[40]?.source).toBe('# A title above all');
  await expectNoDialog(page);
});

test('a notebook of a thousand cells gets its new ones, and keeps the old', async ({
  page,
  live
}) => {
  const own = Array.from({ length: 1_000 }, (_, i) => `x = ${String(i)}`);
  await live.open(own);
  await live.run([
    ...stream(20, 0.05),
    code('print("at the end")'),
    RUN,
    hold('end')
  ]);
  await typeInCell(page, 0, ' + 1');
  await page.keyboard.press('Control+s');
  // JupyterLab puts the cells of a large notebook into the page little by little.
  await expect
    .poll(async () => (await inModel(page)).length, { timeout: 60_000 })
    .toBe(1_021);
  await page.evaluate(async () => {
    const { content } = window.jupyterapp.shell.currentWidget as unknown as {
      content: { scrollToItem(index: number): Promise<void> };
    };
    await content.scrollToItem(1_020);
  });
  await expect(
    page.locator('.jp-OutputArea-output', { hasText: 'at the end' })
  ).toBeInViewport({ timeout: 60_000 });
  live.release('end');
  await live.until('done');
  await save(page);
  const cells = await inModel(page);
  expect(sources(cells)).toEqual([
    'x = 0 + 1',
    ...own.slice(1),
    ...streamed(20),
    'print("at the end")'
  ]);
  expectNoDoubles(cells);
  await expect.poll(async () => await onDisk(page, live.path)).toEqual(cells);
  await expectNoDialog(page);
});

test.describe('trust', () => {
  test('HTML, scripts and widgets of executed cells are shown after a reload', async ({
    page,
    live
  }) => {
    await live.open();
    await live.run([
      code('from IPython.display import HTML\nHTML("<b id=\'html\'>bold</b>")'),
      RUN,
      code(
        'from IPython.display import Javascript\nJavascript("window.ownRan = 1")'
      ),
      RUN,
      code('import ipywidgets\nipywidgets.IntSlider(description="slide me")'),
      RUN
    ]);
    await live.until('done');
    const shown = async (): Promise<void> => {
      await expect(page.locator('#html')).toBeVisible();
      await expect(page.locator('.widget-slider')).toBeVisible();
      await expect.poll(async () => await global(page, 'ownRan')).toBe(1);
    };
    await shown();
    await expectSameOnDisk(page, live.path);
    await reloadPage(page);
    await live.openAgain();
    await shown();
    await expectNoDialog(page);
  });

  test('the output of a cell nobody ran does not become trusted by a run', async ({
    page,
    live
  }) => {
    await live.make(['own'], {
      source: 'foreign()',
      outputs: [
        {
          output_type: 'display_data',
          metadata: {},
          data: {
            'text/html':
              '<b>foreign</b><img src="x:" onerror="window.foreignRan = 1">'
          }
        },
        {
          output_type: 'display_data',
          metadata: {},
          data: { 'application/javascript': 'window.foreignRan = 1' }
        }
      ]
    });
    await live.openAgain();
    await live.run([code('print("ran")'), RUN]);
    await live.until('done');
    await expectSameOnDisk(page, live.path);
    await reloadPage(page);
    await live.openAgain();
    await expect(page.locator('b', { hasText: 'foreign' })).toBeVisible();
    const trusted = await page.evaluate(() => {
      const { content } = window.jupyterapp.shell.currentWidget as unknown as {
        content: { widgets: { model: { id: string; trusted: boolean } }[] };
      };
      return content.widgets
        .filter(({ model }) => model.id === 'foreign')
        .map(({ model }) => model.trusted);
    });
    expect(trusted).toEqual([false]);
    expect(await global(page, 'foreignRan')).toBeUndefined();
    await expectNoDialog(page);
  });
});

test("another extension's content provider goes on saving, and no cell is lost", async ({
  page,
  live
}) => {
  await live.make(['own']);
  await page.evaluate(() => {
    const app = window.jupyterapp as unknown as {
      docRegistry: {
        getWidgetFactory(name: string): { contentProviderId?: string };
      };
      serviceManager: {
        contents: {
          defaultDrive: {
            contentProviderRegistry: {
              register(id: string, provider: object): void;
            };
            get(path: string, options: object): Promise<unknown>;
            save(path: string, options: object): Promise<unknown>;
          };
        };
      };
    };
    const drive = app.serviceManager.contents.defaultDrive;
    const calls = { get: 0, save: 0 };
    (window as unknown as { theirCalls: object }).theirCalls = calls;
    drive.contentProviderRegistry.register('theirs', {
      get: async (file: string, options: object) => {
        calls.get += 1;
        return await drive.get(file, { ...options, contentProviderId: '' });
      },
      save: async (file: string, options: object) => {
        calls.save += 1;
        return await drive.save(file, { ...options, contentProviderId: '' });
      }
    });
    app.docRegistry.getWidgetFactory('Notebook').contentProviderId = 'theirs';
  });
  await live.openAgain();
  await live.run(stream(40, 0.05));
  const theirCalls = async (): Promise<{ get: number; save: number }> =>
    await page.evaluate(
      () =>
        (window as unknown as { theirCalls: { get: number; save: number } })
          .theirCalls
    );
  for (let index = 0; index < 10; index++) {
    await typeInCell(page, 0, ` ${String(index)}`);
    const { save: before } = await theirCalls();
    // JupyterLab passes over the keys while a save is under way.
    await expect
      .poll(async () => {
        await page.keyboard.press('Control+s');
        return (await theirCalls()).save;
      })
      .toBeGreaterThan(before);
    await expectNoDialog(page);
  }
  await live.until('done');
  await live.expectCells(['own 0 1 2 3 4 5 6 7 8 9', ...streamed(40)]);
  expect((await theirCalls()).get).toBeGreaterThan(0);
  await expectNoDialog(page);
});
