import { expect } from '@jupyterlab/galata';
import type { CDPSession } from '@playwright/test';
import { appendFileSync } from 'node:fs';

import { Planner } from '../planner';
import { newSession, openSidebar, panel, serverView, test } from '../sidebar';

const ACTIONS = Number(process.env.BCC_BENCH_ACTIONS ?? 2000);
const EDGE = Number(process.env.BCC_BENCH_EDGE ?? 200);
/** Seconds between two actions: as fast as cells come in a lively run, and the same all along. */
const PACE = 0.02;

interface IMoment {
  events: number;
  /** Milliseconds of the page's main thread. */
  busy: number;
}

/** How long the page's main thread has worked so far. */
async function busyMs(session: CDPSession): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics');
  const found = metrics.find(({ name }) => name === 'TaskDuration');
  return (found?.value ?? 0) * 1000;
}

async function heapMiB(session: CDPSession): Promise<number> {
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  return usedSize / 2 ** 20;
}

/**
 * The notebook is not open in this page, so whatever the page works at is the sidebar. Everything
 * in the sidebar that follows the run is unfolded.
 */
test('a long run beside the sidebar', async ({ page, tmpPath }) => {
  const lines = Array.from({ length: ACTIONS }, (_, at) => [
    PACE,
    { action: 'add', shot_type: 'dialogue', content: `Line ${String(at + 1)}` }
  ]).flat();
  const planner = await Planner.start([1, ...lines, { wait: 'end' }]);
  const session = await newSession(page);
  await session.send('Performance.enable');

  let events = 0;
  page.on('websocket', socket => {
    socket.on('framereceived', ({ payload }) => {
      if (String(payload).includes('"type":"event"')) {
        events += 1;
      }
    });
  });
  await page.reload();
  await openSidebar(page);
  const notebook = `${tmpPath}/long.ipynb`;
  const started = await page.request.post('/notebook-bcc/api/runs', {
    data: { notebook, planner: { kind: 'http', url: planner.url } }
  });
  expect(started.ok()).toBe(true);
  for (const title of ['Planner calls', 'Timeline', 'State machine']) {
    await panel(page)
      .getByRole('button', { name: new RegExp(`^${title}`) })
      .click();
  }
  await page.evaluate(() => {
    const tasks: number[] = [];
    Object.assign(window, { longTasks: tasks });
    new PerformanceObserver(list => {
      tasks.push(...list.getEntries().map(({ duration }) => duration));
    }).observe({ type: 'longtask' });
  });

  const reach = async (actions: number): Promise<IMoment> => {
    await expect
      .poll(async () => (await serverView(page, notebook)).counts.actions, {
        timeout: 600_000,
        intervals: [100]
      })
      .toBeGreaterThanOrEqual(actions);
    return { events, busy: await busyMs(session) };
  };
  const between = async (from: number, to: number): Promise<number> => {
    const [first, last] = [await reach(from), await reach(to)];
    return (last.busy - first.busy) / (last.events - first.events);
  };
  const early = await between(20, EDGE);
  const heapEarly = await heapMiB(session);
  const late = await between(ACTIONS - EDGE, ACTIONS - 20);
  const heapLate = await heapMiB(session);
  const longTasks = await page.evaluate(
    () => (window as unknown as { longTasks: number[] }).longTasks
  );
  const nodes = await panel(page).evaluate(
    node => node.querySelectorAll('*').length
  );
  planner.release('end');
  await planner.stop();
  appendFileSync(
    process.env.BCC_BENCH_RESULTS ?? '/dev/stdout',
    `${JSON.stringify({ actions: ACTIONS, edge: EDGE, events, early, late, heapEarly, heapLate, longTasks, nodes })}\n`
  );
});
