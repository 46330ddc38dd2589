import { expect, test } from '../fixtures';
import { appendFileSync } from 'node:fs';

import {
  expectSameOnDisk,
  inPage,
  makeNotebook,
  openNotebook,
  startRun,
  untilStatus
} from '../live';
import { code, Planner, RUN } from '../planner';
import {
  insertByCommand,
  noted,
  roundTrips,
  saves,
  watch,
  watchSaves
} from './page-watch';

const SAMPLES = Number(process.env.BCC_BENCH_SAMPLES ?? 60);
const SIZES = (process.env.BCC_BENCH_SIZES ?? '50,1000').split(',').map(Number);
const LINE_SECONDS = Number(process.env.BCC_BENCH_LINE_SECONDS ?? 60);
const PAUSE_MS = 400;
const LINES_A_SECOND = 30;

function report(result: object): void {
  appendFileSync(
    process.env.BCC_BENCH_RESULTS ?? '/dev/stdout',
    `${JSON.stringify(result)}\n`
  );
}

for (const size of SIZES) {
  test(`a cell into the page, ${String(size)} cells`, async ({
    page,
    tmpPath
  }) => {
    const path = `${tmpPath}/a.ipynb`;
    const own = Array.from({ length: size }, (_, i) => `x = ${String(i)}`);
    await makeNotebook(page, path, own);
    await openNotebook(page, path);
    await expect(page.locator('.jp-Notebook:visible .jp-Cell')).toHaveCount(
      size,
      { timeout: 120_000 }
    );
    await watch(page);
    const trips = await roundTrips(page, 40);

    // By turns, so that whatever else the machine does hits both alike.
    const theirs = { latencies: [] as number[], longTasks: [] as number[] };
    const ours = { latencies: [] as number[], longTasks: [] as number[] };
    for (let turn = 0; turn < 3; turn++) {
      const count = Math.ceil(SAMPLES / 3);
      await noted(page);
      theirs.latencies.push(...(await insertByCommand(page, count, PAUSE_MS)));
      theirs.longTasks.push(...(await noted(page)).longTasks);
      const lines = Array.from({ length: count }, () => [
        code('# at {{now}}'),
        PAUSE_MS / 1000
      ]).flat();
      const planner = await Planner.start([1, ...lines]);
      const run = await startRun(page, path, planner);
      await untilStatus(page, run, 'done');
      await expect
        .poll(async () => (await inPage(page)).length)
        .toBe(size + 2 * count * (turn + 1));
      const seen = await noted(page);
      for (const cell of seen.cells) {
        const sent = /^# at (\S+)/.exec(cell.source)?.[1];
        if (sent !== undefined) {
          ours.latencies.push(cell.wall - Number(sent));
        }
      }
      ours.longTasks.push(...seen.longTasks);
      await planner.stop();
    }
    expect(ours.latencies.length).toBeGreaterThanOrEqual(SAMPLES);
    report({ kind: 'cell', size, ours, theirs, trips });
  });
}

test('lines of output', async ({ page, tmpPath }) => {
  const path = `${tmpPath}/a.ipynb`;
  await makeNotebook(page, path, ['own']);
  await openNotebook(page, path);
  await watch(page);
  await watchSaves(page, path);
  const count = LINES_A_SECOND * LINE_SECONDS;
  const loop = [
    'import time',
    'begun = time.monotonic()',
    `for i in range(${String(count)}):`,
    `    time.sleep(max(0, begun + i / ${String(LINES_A_SECOND)} - time.monotonic()))`,
    '    print("line", i, flush=True)'
  ].join('\n');
  const planner = await Planner.start([code(loop), RUN]);
  const run = await startRun(page, path, planner);
  await expect
    .poll(async () => JSON.stringify((await inPage(page))[1]?.outputs), {
      timeout: (LINE_SECONDS + 60) * 1000
    })
    .toContain(`line ${String(count - 1)}\\n`);
  await untilStatus(page, run, 'done');
  const { longTasks } = await noted(page);
  const written = (await saves(page)).filter(({ by }) => by === 'run');
  const cells = await expectSameOnDisk(page, path);
  const all = Array.from({ length: count }, (_, i) => `line ${String(i)}\n`);
  const shown = (cells[1]?.outputs as { text: string }[])[0]?.text;
  report({
    kind: 'lines',
    seconds: LINE_SECONDS,
    lines: count,
    lost: shown === all.join('') ? 0 : count,
    longTasks,
    saves: written.map(({ at }) => at)
  });
  await planner.stop();
});
