import type { CDPSession } from '@playwright/test';

import { expect, test } from '../fixtures';
import { code, hold, RUN, text } from '../planner';
import { newSession } from '../sidebar';

test.use({ autoGoto: false });

/** Functions that a bundler adds: they hand out what another file exports. */
const HANDS_OUT = /^\(\) => \(\w+\)$/;

/** Our files of which a function was called since the last time this was asked. */
async function filesCalled(session: CDPSession): Promise<string[]> {
  const { result } = await session.send('Profiler.takePreciseCoverage');
  const called = new Set<string>();
  for (const { url, scriptId, functions } of result) {
    if (!url.includes('notebook-bcc-ext/static/lib_index')) {
      continue;
    }
    const { scriptSource } = await session.send('Debugger.getScriptSource', {
      scriptId
    });
    const files = [...scriptSource.matchAll(/^"\.\/lib\/(.+)\.js"\(/gm)];
    for (const { ranges } of functions) {
      const { startOffset = 0, endOffset, count = 0 } = ranges[0] ?? {};
      const file = files.filter(({ index }) => index < startOffset).at(-1)?.[1];
      const source = scriptSource.slice(startOffset, endOffset);
      if (count > 0 && file !== undefined && !HANDS_OUT.test(source)) {
        called.add(file);
      }
    }
  }
  return [...called].sort();
}

test('a line of a run passes at most seven of our files on its way into the page', async ({
  page,
  live
}) => {
  // What is said of runs besides goes other ways, to the sidebar.
  let onlyOperations = false;
  await page.routeWebSocket(/notebook-bcc\/api\/live/, socket => {
    const server = socket.connectToServer();
    server.onMessage(message => {
      if (!onlyOperations || /^\{"type": ?"ops"/.test(String(message))) {
        socket.send(message);
      }
    });
  });
  await page.goto();
  await live.open();
  await live.run([
    text('first'),
    hold('text'),
    text('second'),
    hold('code'),
    code('print("third")'),
    hold('run'),
    RUN
  ]);
  await expect(live.cells).toHaveCount(2);
  const session = await newSession(page);
  await session.send('Debugger.enable');
  await session.send('Profiler.enable');
  await session.send('Profiler.startPreciseCoverage', { callCount: true });
  onlyOperations = true;
  for (const [line, shown] of [
    ['text', live.cells.nth(2)],
    ['code', live.cells.nth(3)],
    ['run', live.cells.nth(3).locator('.jp-OutputArea-output')]
  ] as const) {
    await page.waitForTimeout(1_500); // The line before has all it leads to behind it.
    await filesCalled(session);
    live.release(line);
    await expect(shown).toBeVisible();
    const way = await filesCalled(session);
    // ARCHITECTURE.md leads through them.
    expect(way.length, `${line}: ${way.join(', ')}`).toBeLessThanOrEqual(7);
    expect(way).toContain('live/log');
  }
});
