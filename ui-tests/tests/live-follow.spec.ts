import { expect, test } from '@jupyterlab/galata';

import {
  makeNotebook,
  openNotebook,
  startRun,
  untilStatus,
  type LivePage
} from '../live';
import { code, hold, Planner, stream } from '../planner';
import { openSidebar, panel } from '../sidebar';

// Guards against hanging only: a kernel takes long on a busy machine.
test.setTimeout(240_000);

let planner: Planner | null = null;

test.afterEach(async () => {
  await planner?.stop();
  planner = null;
});

const OUTER = '.jp-Notebook:visible .jp-WindowedPanel-outer';

test('the page follows the run until its user scrolls', async ({
  page,
  tmpPath
}) => {
  const path = `${tmpPath}/a.ipynb`;
  await makeNotebook(page, path, ['own']);
  await openNotebook(page, path);
  planner = await Planner.start([
    ...stream(40, 0.02),
    hold('scrolled'),
    ...stream(20, 0.02)
  ]);
  const run = await startRun(page, path, planner);
  const cells = page.locator('.jp-Notebook:visible .jp-Cell');
  await expect(cells).toHaveCount(41);
  await expect(cells.last()).toBeInViewport();
  const box = await page.locator(OUTER).boundingBox();
  await page.mouse.move((box?.x ?? 0) + 200, (box?.y ?? 0) + 200);
  await page.mouse.wheel(0, -100_000);
  await expect(cells.first()).toBeInViewport();
  planner.release('scrolled');
  await untilStatus(page, run, 'done');
  await expect(cells).toHaveCount(61);
  expect(await page.locator(OUTER).evaluate(node => node.scrollTop)).toBe(0);
});

test('the page stays where a click on the plan has brought it', async ({
  page,
  tmpPath
}) => {
  const path = `${tmpPath}/a.ipynb`;
  await makeNotebook(page, path, ['own']);
  await openNotebook(page, path);
  planner = await Planner.start([
    ...stream(40, 0.02),
    hold('looked'),
    ...stream(20, 0.02)
  ]);
  const run = await startRun(page, path, planner);
  const cells = page.locator('.jp-Notebook:visible .jp-Cell');
  await expect(cells).toHaveCount(41);
  await expect(cells.last()).toBeInViewport();
  await openSidebar(page);
  await panel(page).getByRole('treeitem').first().click();
  await expect(cells.nth(1)).toBeInViewport();
  const top = await page.locator(OUTER).evaluate(node => node.scrollTop);
  planner.release('looked');
  await untilStatus(page, run, 'done');
  await expect(cells).toHaveCount(61);
  expect(await page.locator(OUTER).evaluate(node => node.scrollTop)).toBe(top);
});

/** Editors made from now on are not told by the browser when they come into view. */
async function muteIntersections(page: LivePage): Promise<void> {
  await page.evaluate(() => {
    window.IntersectionObserver = class extends IntersectionObserver {
      constructor(_: unknown, options?: IntersectionObserverInit) {
        super(() => undefined, options);
      }
    };
  });
}

for (const isMuted of [false, true]) {
  // The browser tells editors in no order they can rely on: now and then it is as if not at all.
  const how = isMuted ? ', though the browser tells its editor nothing' : '';
  test(`a long cell is drawn where the page is while it follows${how}`, async ({
    page,
    tmpPath
  }) => {
    const path = `${tmpPath}/a.ipynb`;
    await makeNotebook(page, path, ['own']);
    if (isMuted) {
      await muteIntersections(page);
    }
    await openNotebook(page, path);
    const long = Array.from({ length: 2_000 }, (_, i) => `n = ${String(i)}`);
    planner = await Planner.start([code(long.join('\n')), ...stream(1, 0.02)]);
    const run = await startRun(page, path, planner);
    await untilStatus(page, run, 'done');
    const cells = page.locator('.jp-Notebook:visible .jp-Cell');
    await expect(cells).toHaveCount(3);
    await expect(cells.last()).toBeInViewport();
    // The editor draws no more lines than are in view.
    const lines = cells.nth(1).locator('.cm-line');
    await expect(lines.filter({ hasText: /^n = 1999$/ })).toBeInViewport();
    expect(await lines.count()).toBeLessThan(500);
  });
}
