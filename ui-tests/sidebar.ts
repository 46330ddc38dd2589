import { spawn, type ChildProcess } from 'node:child_process';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';

import {
  expect,
  galata,
  type IJupyterLabPageFixture
} from '@jupyterlab/galata';
import type { APIRequestContext, CDPSession, Locator } from '@playwright/test';

import { test as base } from './fixtures';
import { untilStarted } from './live';
import { UI_TESTS } from './server';

export const SIDEBAR = 'notebook-bcc-sidebar';
const RUNS = '/notebook-bcc/api/runs';

export type Story =
  | 'short'
  | 'slow'
  | 'steps'
  | 'workflow'
  | 'failing'
  | 'flaky'
  | 'steady'
  | 'twice'
  | 'many'
  | 'hostile';
export type Language = 'en' | 'zh';

interface IWorkerFixtures {
  planners: Record<Story, string>;
}

interface IFixtures {
  noQuestionIsLeft: undefined;
  side: Side;
}

/** Tests of the sidebar, with planner services on loopback that each tell one story. */
export const test = base.extend<IFixtures, IWorkerFixtures>({
  // By default the page is ready when the launcher is in front; here it may be a notebook.
  waitForApplication: async ({}, use) => {
    await use(async page => {
      await page.locator(`.lm-TabBar-tab[data-id="${SIDEBAR}"]`).waitFor();
    });
  },
  side: async ({ page, tmpPath, planners }, use) => {
    await use(new Side(page, tmpPath, planners));
  },
  // The server outlives a failed test, and its open question would call in every later one.
  noQuestionIsLeft: [
    async ({ request }, use) => {
      await use(undefined);
      const runs = await runsOf(request);
      for (const { id } of runs.filter(({ pending }) => pending !== null)) {
        await request.post(`${RUNS}/${id}/commands`, {
          data: { command: 'cancel' }
        });
      }
    },
    { auto: true }
  ],
  planners: [
    async ({}, use) => {
      const python = resolve(UI_TESTS, '../.venv/bin/python');
      const script = resolve(UI_TESTS, 'scripted_planners.py');
      const child = spawn(python, [script], {
        stdio: ['pipe', 'pipe', 'inherit']
      });
      await use(JSON.parse(await firstLine(child)) as Record<Story, string>);
      child.stdin.end();
    },
    { scope: 'worker' }
  ]
});

function firstLine(child: ChildProcess): Promise<string> {
  if (child.stdout === null) {
    throw new Error('the planners have no output');
  }
  const lines = createInterface({ input: child.stdout });
  return new Promise((found, failed) => {
    lines.once('line', found);
    child.once('exit', code => {
      failed(new Error(`the planners ended with ${String(code)}`));
    });
  });
}

/** The sidebar as a person uses it, with a planner that tells one of the stories. */
export class Side {
  constructor(
    private readonly _page: IJupyterLabPageFixture,
    private readonly _folder: string,
    private readonly _planners: Record<Story, string>
  ) {
    this.panel = panel(_page);
    this.card = _page.getByTestId('bcc-pending');
    this.steering = this.panel.getByRole('group', { name: 'Steer the run' });
    this.waysOn = _page.getByRole('list', { name: 'Ways to go on' });
    this.tree = this.panel.getByRole('tree', { name: 'Plan' });
  }

  readonly panel: Locator;
  /** The question that waits for an answer. */
  readonly card: Locator;
  readonly steering: Locator;
  /** What can be done after an error. */
  readonly waysOn: Locator;
  readonly tree: Locator;

  /** Open the sidebar and start a run there; the notebook that it writes. */
  async run(story: Story, more: Partial<IStartOptions> = {}): Promise<string> {
    await openSidebar(this._page);
    const url = this._planners[story];
    const notebook = `${this._folder}/${story}.ipynb`;
    const options = { url, notebook, ...more };
    await startRun(this._page, options);
    return options.notebook;
  }

  async until(state: string): Promise<void> {
    await expectState(this._page, state);
  }

  async press(name: string | RegExp): Promise<void> {
    await this.panel.getByRole('button', { name }).click();
  }

  async cancel(): Promise<void> {
    await this.press('Cancel the run');
    await this.until('cancelled');
  }

  /** Answer the question with one of its buttons. */
  async answer(name: string): Promise<void> {
    await this.card.getByRole('button', { name }).click();
  }

  async reject(reason: string): Promise<void> {
    await this.answer('Reject');
    await this.card
      .getByLabel('Reason for the planner (optional)')
      .fill(reason);
    await this.answer('Reject the proposal');
  }

  /** Go on after an error; what takes cells away is asked about. */
  async goOn(name: string): Promise<void> {
    await this.waysOn.getByRole('button', { name }).click();
    await agree(this._page, name);
  }
}

/** The page in Chinese; its launcher has another title than galata waits for. */
export const CHINESE = {
  mockSettings: {
    ...galata.DEFAULT_SETTINGS,
    '@jupyterlab/translation-extension:plugin': { locale: 'zh_CN' }
  }
};

/** A line to the browser's own tools. Galata's page is not the one that the browser knows. */
export async function newSession(
  page: IJupyterLabPageFixture
): Promise<CDPSession> {
  const [own] = page.context().pages();
  if (!own) {
    throw new Error('the page is closed');
  }
  return await page.context().newCDPSession(own);
}

export function panel(page: IJupyterLabPageFixture): Locator {
  return page.locator(`#${SIDEBAR}`);
}

export async function openSidebar(page: IJupyterLabPageFixture): Promise<void> {
  // JupyterLab opens it again itself after a reload; a click before that would then close it.
  await untilStarted(page);
  await page.sidebar.openTab(SIDEBAR);
  await expect(page.getByTestId('bcc-connection')).toHaveAttribute(
    'data-connection',
    'connected'
  );
}

export interface IStartOptions {
  url: string;
  notebook: string;
  approval?: string;
}

/** Start a run the way a person does, in the English form. */
export async function startRun(
  page: IJupyterLabPageFixture,
  options: IStartOptions
): Promise<void> {
  const form = await openForm(page);
  await form.getByRole('radio', { name: 'Planner service' }).check();
  await form.getByLabel('Address of the service').fill(options.url);
  await form.getByLabel('Notebook', { exact: true }).fill(options.notebook);
  if (options.approval !== undefined) {
    await form.getByLabel('Ask before').selectOption(options.approval);
  }
  await form.getByRole('button', { name: 'Start' }).click();
  await expect(form).toBeHidden();
}

export async function expectState(
  page: IJupyterLabPageFixture,
  state: string
): Promise<void> {
  await expect(page.getByTestId('bcc-state')).toHaveAttribute(
    'data-state',
    state,
    {
      timeout: 30_000
    }
  );
}

/** Answer the question whether an order that takes cells away is meant. */
export async function agree(
  page: IJupyterLabPageFixture,
  label: string
): Promise<void> {
  await page.getByRole('dialog').getByRole('button', { name: label }).click();
}

/** A run as the server sees it. */
export interface IServerRun {
  id: string;
  notebook: string;
  state: string;
  status: string;
  data: string | null;
  pending: { id: string } | null;
  counts: { actions: number; planner_calls: number };
  progress: { stages: { name: string; steps: { name: string }[] }[] };
}

/** Newest first. */
async function runsOf(request: APIRequestContext): Promise<IServerRun[]> {
  const answer = await request.get(RUNS);
  const { runs } = (await answer.json()) as { runs: IServerRun[] };
  return runs;
}

/** The newest run, or the one of that notebook. */
export async function serverView(
  page: IJupyterLabPageFixture,
  notebook?: string
): Promise<IServerRun> {
  const runs = await runsOf(page.request);
  const run = notebook ? runs.find(one => one.notebook === notebook) : runs[0];
  if (!run) {
    throw new Error(`there is no run of ${notebook ?? 'any notebook'}`);
  }
  return run;
}

export async function cellsOf(
  page: IJupyterLabPageFixture,
  path: string
): Promise<string[]> {
  const answer = await page.request.get(`/api/contents/${path}`);
  const body = (await answer.json()) as {
    content: { cells: { source: string | string[] }[] };
  };
  return body.content.cells.map(({ source }) => [source].flat().join(''));
}

/** Everything that was sent to the planner so far. */
export async function toldPlanner(
  page: IJupyterLabPageFixture,
  run: IServerRun
): Promise<string> {
  const answer = await page.request.get(
    `/notebook-bcc/api/runs/${run.id}/calls`
  );
  const { calls } = (await answer.json()) as { calls: { request: string }[] };
  return calls.map(({ request }) => request).join('\n');
}

/** The form for a new run, also where earlier runs are shown first. */
export async function openForm(page: IJupyterLabPageFixture): Promise<Locator> {
  const newRun = panel(page).getByRole('button', {
    name: 'New Notebook-BCC Run'
  });
  const form = page.getByRole('form', { name: 'Start a run' });
  await expect(newRun.or(form)).toBeVisible();
  if (await newRun.isVisible()) {
    await newRun.click();
  }
  return form;
}

/** Let the page see a server that has had no runs; to be called before it is opened. */
export async function asNewcomer(page: IJupyterLabPageFixture): Promise<void> {
  const earlier = new Set<string>();
  await page.routeWebSocket(/notebook-bcc\/api\/live/, socket => {
    const server = socket.connectToServer();
    socket.onMessage(message => {
      server.send(message);
    });
    server.onMessage(message => {
      const said = JSON.parse(String(message)) as {
        type: string;
        run?: { id: string };
        run_id?: string;
        runs?: { id: string }[];
      };
      if (said.type === 'hello') {
        for (const { id } of said.runs ?? []) {
          earlier.add(id);
        }
        socket.send(JSON.stringify({ ...said, state: 'idle', runs: [] }));
      } else if (!earlier.has(said.run?.id ?? said.run_id ?? '')) {
        socket.send(message);
      }
    });
  });
}
