import { expect, test } from '../fixtures';
import type { Page } from '@playwright/test';

import {
  changeCell,
  expectNoDialog,
  expectNoDoubles,
  expectSameOnDisk,
  inModel,
  makeNotebook,
  openNotebook,
  reloadPage,
  save,
  secondTab,
  sources,
  startRun,
  untilStarted,
  untilStatus,
  viewOf,
  type LivePage
} from '../live';
import { code, Planner, RUN, text, type Item } from '../planner';

const LONG = process.env.BCC_FUZZ_SECONDS;
const SECONDS = Number(LONG ?? 20);
// The short form of every day is the same each time; a campaign has a new seed each time.
const FRESH = LONG === undefined ? 986_059 : Date.now() % 1_000_000;
const SEED = Number(process.env.BCC_FUZZ_SEED ?? FRESH);
const RUN_SECONDS = Math.min(SECONDS, 30);

// Traces picture the page around every step: with hundreds of cells that is all it does.
test.use({ trace: 'off' });

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

/** Runs, one after the other, whose cells are all different. */
class Runs {
  constructor(
    private readonly _page: LivePage,
    private readonly _path: string
  ) {}

  /** The text of every cell that was or will be written. */
  readonly cells: string[] = [];

  async keepGoing(): Promise<void> {
    if (this._run !== null) {
      const { status } = await viewOf(this._page, this._run);
      if (status === 'running') {
        return;
      }
      await this.end();
    }
    this._count += 1;
    const items: Item[] = [];
    for (let index = 0; index < RUN_SECONDS / 0.2; index++) {
      const name = `cell ${String(this._count)}-${String(index)}`;
      const isCode = index % 10 === 0;
      const source = isCode ? `print("${name}") #` : name;
      this.cells.push(source);
      items.push(...(isCode ? [code(source), RUN] : [text(source)]), 0.2);
    }
    this._planner = await Planner.start(items);
    this._run = await startRun(this._page, this._path, this._planner);
  }

  async end(): Promise<void> {
    if (this._run !== null) {
      await untilStatus(this._page, this._run, 'done');
    }
    await this._planner?.stop();
    this._planner = this._run = null;
  }

  private _planner: Planner | null = null;
  private _run: string | null = null;
  private _count = 0;
}

test('random edits, saves, reloads and second tabs during runs lose nothing', async ({
  page,
  tmpPath
}) => {
  test.setTimeout((SECONDS * 2 + 180) * 1000);
  console.log(
    `BCC_FUZZ_SECONDS=${String(SECONDS)} BCC_FUZZ_SEED=${String(SEED)}`
  );
  const random = numbers(SEED);
  const some = (count: number): number => Math.floor(random() * count);
  const path = `${tmpPath}/a.ipynb`;
  // Two people never type in the same cell here: that is a conflict, and has a test of its own.
  const own = Array.from({ length: 8 }, (_, i) => `own ${String(i)}`);
  await makeNotebook(page, path, own);
  await openNotebook(page, path);
  const runs = new Runs(page, path);
  const changed = new Map<string, string[]>();
  const did: string[] = [];
  let other: Page | null = null;

  /** A cell of a run that nobody has touched yet, and that is finished. */
  const untouched = async (): Promise<{
    id: string;
    source: string;
  } | null> => {
    const cells = (await inModel(page)).filter(
      ({ source }) => runs.cells.includes(source) && !changed.has(source)
    );
    return cells[some(Math.max(1, cells.length - 2))] ?? null;
  };
  const type = async (where: LivePage, from: number): Promise<void> => {
    const index = from + some(4);
    const words = ` ${String(did.length)}`;
    await changeCell(where, `own-${String(index)}`, { append: words });
    own[index] = `${own[index] ?? ''}${words}`;
  };
  const onOurs = async (
    change: Parameters<typeof changeCell>[2],
    after: (source: string) => string[]
  ): Promise<void> => {
    const cell = await untouched();
    if (cell !== null) {
      await changeCell(page, cell.id, change);
      changed.set(cell.source, after(cell.source));
    }
  };
  const there = async (act: (tab: Page) => Promise<void>): Promise<void> => {
    if (other !== null) {
      await act(other);
    }
  };
  const reload = async (): Promise<void> => {
    // What is not saved is gone with the page: a person is asked, a test saves.
    await save(page);
    await reloadPage(page);
    await openNotebook(page, path);
  };
  const reloadOther = async (tab: Page): Promise<void> => {
    await save(tab);
    await tab.reload();
    await untilStarted(tab);
    await openNotebook(tab, path);
  };
  const openOrClose = async (): Promise<void> => {
    if (other === null) {
      other = await secondTab(page, path);
    } else {
      await save(other);
      await other.close();
      other = null;
    }
  };
  const cut = (source: string): string[] => [
    source.slice(0, 4),
    source.slice(4)
  ];
  type Act = () => Promise<void>;
  const actions: Record<string, [number, Act]> = {
    type: [
      30,
      async () => {
        await type(page, 0);
      }
    ],
    'type there': [
      20,
      async () => {
        await there(async tab => {
          await type(tab, 4);
        });
      }
    ],
    save: [
      12,
      async () => {
        await save(page);
      }
    ],
    'save there': [
      12,
      async () => {
        await there(save);
      }
    ],
    delete: [
      6,
      async () => {
        await onOurs('delete', () => []);
      }
    ],
    move: [
      5,
      async () => {
        await onOurs('move up', source => [source]);
      }
    ],
    split: [
      4,
      async () => {
        await onOurs('split', cut);
      }
    ],
    edit: [
      5,
      async () => {
        await onOurs({ append: ' mine' }, source => [`${source} mine`]);
      }
    ],
    reload: [4, reload],
    'reload there': [
      3,
      async () => {
        await there(reloadOther);
      }
    ],
    'open or close the other tab': [6, openOrClose]
  };
  const total = Object.values(actions).reduce(
    (sum, [weight]) => sum + weight,
    0
  );
  const pages = (): Pick<Page, keyof LivePage | 'bringToFront'>[] =>
    other === null ? [page] : [page, other];

  try {
    const until = Date.now() + SECONDS * 1000;
    while (Date.now() < until) {
      await runs.keepGoing();
      let left = random() * total;
      for (const [name, [weight, act]] of Object.entries(actions)) {
        left -= weight;
        if (left < 0) {
          did.push(name);
          await act();
          break;
        }
      }
      for (const each of pages()) {
        await expectNoDialog(each);
      }
    }
    await runs.end();
    const wanted = [
      ...own,
      ...runs.cells.flatMap(source => changed.get(source) ?? [source])
    ].sort();
    for (const each of pages()) {
      await save(each);
    }
    for (const each of pages()) {
      // A page in the background is in no hurry to put cells into its DOM.
      await each.bringToFront();
      await expect
        .poll(async () => sources(await inModel(each)).sort(), {
          timeout: 30_000
        })
        .toEqual(wanted);
      expectNoDoubles(await expectSameOnDisk(each, path, inModel));
      await expectNoDialog(each);
    }
    console.log(
      `${String(did.length)} actions, ${String(runs.cells.length)} cells`
    );
  } catch (reason) {
    console.log(did.join(', '));
    throw reason;
  }
});
