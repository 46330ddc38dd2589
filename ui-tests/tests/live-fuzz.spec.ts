import { expect, test } from '@jupyterlab/galata';

import {
  changeCell,
  expectNoDialog,
  expectNoDoubles,
  expectSameOnDisk,
  inPage,
  makeNotebook,
  openNotebook,
  Planner,
  reloadPage,
  save,
  sources,
  startRun,
  stream,
  streamed,
  untilStatus
} from '../live';

const SECONDS = Number(process.env.BCC_FUZZ_SECONDS ?? 20);
// The short form of every day is the same each time; a campaign brings its own seeds.
const SEED = Number(process.env.BCC_FUZZ_SEED ?? 986_059);

/** The same numbers for the same seed (mulberry32). */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

test('random edits, saves and reloads during a run lose nothing', async ({
  page,
  tmpPath
}) => {
  test.setTimeout((SECONDS + 120) * 1000);
  console.log(`BCC_FUZZ_SEED=${String(SEED)}`);
  const random = numbers(SEED);
  const path = `${tmpPath}/a.ipynb`;
  const own = ['own 0', 'own 1', 'own 2', 'own 3'];
  await makeNotebook(page, path, own);
  await openNotebook(page, path);
  const count = Math.ceil(SECONDS / 0.2);
  const planner = await Planner.start(stream(count, 0.2));
  const run = await startRun(page, path, planner);
  const deleted = new Set<string>();
  const until = Date.now() + SECONDS * 1000;
  for (let step = 0; Date.now() < until; step++) {
    const chance = random();
    if (chance < 0.55) {
      const index = Math.floor(random() * own.length);
      const words = ` ${String(step)}`;
      await changeCell(page, `own-${String(index)}`, { append: words });
      own[index] = `${own[index] ?? ''}${words}`;
    } else if (chance < 0.85) {
      await save(page);
    } else if (chance < 0.95) {
      const ours = (await inPage(page)).filter(({ source }) =>
        source.startsWith('cell ')
      );
      const cell = ours[Math.floor(random() * (ours.length - 1))];
      if (cell !== undefined && ours.length > 2) {
        await changeCell(page, cell.id, 'delete');
        deleted.add(cell.source);
      }
    } else {
      // What is not saved is gone with the page: a person is asked, a test saves.
      await save(page);
      await reloadPage(page);
      await openNotebook(page, path);
    }
    await expectNoDialog(page);
  }
  await untilStatus(page, run, 'done');
  await planner.stop();
  const wanted = streamed(count).filter(source => !deleted.has(source));
  await expect
    .poll(async () => (await inPage(page)).length, { timeout: 20_000 })
    .toBe(own.length + wanted.length);
  const cells = await expectSameOnDisk(page, path);
  expect(sources(cells)).toEqual([...own, ...wanted]);
  expectNoDoubles(cells);
  await expectNoDialog(page);
});
