import { expect, test as galataTest } from '@jupyterlab/galata';
import {
  test as playwrightTest,
  type Locator,
  type PlaywrightWorkerArgs,
  type PlaywrightWorkerOptions,
  type TestFixture,
  type WorkerFixture
} from '@playwright/test';

import {
  expectNoDialog,
  expectNoDoubles,
  expectSameOnDisk,
  makeNotebook,
  openNotebook,
  sources,
  startRun,
  untilStatus,
  type IForeignCell,
  type IRunView,
  type ISeenCell,
  type LivePage
} from './live';
import { Planner, type Item } from './planner';
import { LabServer } from './server';

export { expect };

export interface IServerFixtures {
  /** Each worker has a server of its own, and so has whoever follows a worker that failed. */
  server: LabServer;
}

type WorkerArgs = PlaywrightWorkerArgs & PlaywrightWorkerOptions;

const server: [
  WorkerFixture<LabServer, WorkerArgs>,
  { scope: 'worker'; timeout: number }
] = [
  async ({}, use, { parallelIndex }) => {
    const started = await LabServer.start(parallelIndex);
    await use(started);
    await started.stop();
  },
  { scope: 'worker', timeout: 180_000 }
];

const started: TestFixture<Planners, object> = async ({}, use) => {
  const planners = new Planners();
  await use(planners);
  await planners.stop();
};

/** A page without JupyterLab's helpers. */
export const plainTest = playwrightTest.extend<
  { started: Planners },
  IServerFixtures
>({
  server,
  baseURL: async ({ server: { url } }, use) => {
    await use(url);
  },
  started
});

/** The planner services of a test, which end with it. */
export class Planners {
  async start(...behaviors: Item[][]): Promise<Planner> {
    const planner = await Planner.start(...behaviors);
    this._started.push(planner);
    return planner;
  }

  async stop(): Promise<void> {
    for (const planner of this._started) {
      await planner.stop();
    }
  }

  private readonly _started: Planner[] = [];
}

/** A notebook that is open in the page, and a run that writes into it. */
export class LiveNotebook {
  constructor(
    private readonly _page: LivePage,
    private readonly _planners: Planners,
    readonly folder: string
  ) {
    this.cells = _page.locator('.jp-Notebook:visible .jp-Cell');
  }

  readonly cells: Locator;

  get path(): string {
    return `${this.folder}/a.ipynb`;
  }

  get runId(): string {
    return this._runId;
  }

  async make(own: string[], foreign?: IForeignCell): Promise<void> {
    await makeNotebook(this._page, this.path, own, foreign);
  }

  async open(own: string[] = ['own'], foreign?: IForeignCell): Promise<void> {
    await this.make(own, foreign);
    await openNotebook(this._page, this.path);
  }

  async openAgain(): Promise<void> {
    await openNotebook(this._page, this.path);
  }

  /** A run whose planner streams these items, behavior by behavior. */
  async run(...behaviors: Item[][]): Promise<void> {
    this._planner = await this._planners.start(...behaviors);
    this._runId = await startRun(this._page, this.path, this._planner);
  }

  /** The planner goes on where it holds. */
  release(name: string): void {
    this._planner?.release(name);
  }

  async until(...wanted: string[]): Promise<IRunView> {
    return await untilStatus(this._page, this._runId, ...wanted);
  }

  /** The page has these texts and no others, the file has the same, and nobody was asked. */
  async expectCells(wanted: string[]): Promise<ISeenCell[]> {
    const cells = await expectSameOnDisk(this._page, this.path);
    expect(sources(cells)).toEqual(wanted);
    expectNoDoubles(cells);
    await expectNoDialog(this._page);
    return cells;
  }

  private _planner: Planner | undefined;
  private _runId = '';
}

export interface ILiveFixtures {
  started: Planners;
  live: LiveNotebook;
}

/** Tests with JupyterLab's own page; `live` is a notebook in a folder of the test. */
export const test = galataTest.extend<ILiveFixtures, IServerFixtures>({
  server,
  baseURL: async ({ server: { url } }, use) => {
    await use(url);
  },
  started,
  live: async ({ page, started: planners, tmpPath }, use, testInfo) => {
    // Guards against hanging only: a kernel and a stream take long on a busy machine.
    testInfo.setTimeout(240_000);
    await use(new LiveNotebook(page, planners, tmpPath));
  }
});
