import { expect, test } from '../fixtures';

import { type LivePage } from '../live';
import { code, hold, stream } from '../planner';
import { openSidebar, panel } from '../sidebar';

const OUTER = '.jp-Notebook:visible .jp-WindowedPanel-outer';

test('the page follows the run until its user scrolls', async ({
  page,
  live
}) => {
  await live.open();
  await live.run([...stream(40, 0.02), hold('scrolled'), ...stream(20, 0.02)]);
  await expect(live.cells).toHaveCount(41);
  await expect(live.cells.last()).toBeInViewport();
  const box = await page.locator(OUTER).boundingBox();
  await page.mouse.move((box?.x ?? 0) + 200, (box?.y ?? 0) + 200);
  await page.mouse.wheel(0, -100_000);
  await expect(live.cells.first()).toBeInViewport();
  live.release('scrolled');
  await live.until('done');
  await expect(live.cells).toHaveCount(61);
  expect(await page.locator(OUTER).evaluate(node => node.scrollTop)).toBe(0);
});

test('the page stays where a click on the plan has brought it', async ({
  page,
  live
}) => {
  await live.open();
  await live.run([...stream(40, 0.02), hold('looked'), ...stream(20, 0.02)]);
  await expect(live.cells).toHaveCount(41);
  await expect(live.cells.last()).toBeInViewport();
  await openSidebar(page);
  await panel(page).getByRole('treeitem').first().click();
  await expect(live.cells.nth(1)).toBeInViewport();
  const top = await page.locator(OUTER).evaluate(node => node.scrollTop);
  live.release('looked');
  await live.until('done');
  await expect(live.cells).toHaveCount(61);
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
    live
  }) => {
    await live.make(['own']);
    if (isMuted) {
      await muteIntersections(page);
    }
    await live.openAgain();
    const long = Array.from({ length: 2_000 }, (_, i) => `n = ${String(i)}`);
    await live.run([code(long.join('\n')), ...stream(1, 0.02)]);
    await live.until('done');
    await expect(live.cells).toHaveCount(3);
    await expect(live.cells.last()).toBeInViewport();
    // The editor draws no more lines than are in view.
    const lines = live.cells.nth(1).locator('.cm-line');
    await expect(lines.filter({ hasText: /^n = 1999$/ })).toBeInViewport();
    expect(await lines.count()).toBeLessThan(500);
  });
}
