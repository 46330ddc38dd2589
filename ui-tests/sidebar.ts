import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';

import {
  expect,
  galata,
  test as base,
  type IJupyterLabPageFixture
} from '@jupyterlab/galata';
import type { Locator } from '@playwright/test';

import { UI_TESTS } from './server';

export const SIDEBAR = 'notebook-bcc-sidebar';
const IMAGES = resolve(UI_TESTS, '../docs/images/sidebar');
const AXE = readFileSync(
  resolve(UI_TESTS, '../node_modules/axe-core/axe.min.js'),
  'utf8'
);

export type Story =
  'short' | 'slow' | 'steps' | 'workflow' | 'failing' | 'hostile';
export type Language = 'en' | 'zh';

interface IFixtures {
  planners: Record<Story, string>;
}

/** Tests of the sidebar, with planner services on loopback that each tell one story. */
export const test = base.extend<object, IFixtures>({
  // By default the page is ready when the launcher is in front; here it may be a notebook.
  waitForApplication: async ({}, use) => {
    await use(async page => {
      await page.locator(`.lm-TabBar-tab[data-id="${SIDEBAR}"]`).waitFor();
    });
  },
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

/** The page in Chinese; its launcher has another title than galata waits for. */
export const CHINESE = {
  mockSettings: {
    ...galata.DEFAULT_SETTINGS,
    '@jupyterlab/translation-extension:plugin': { locale: 'zh_CN' }
  }
};

export function panel(page: IJupyterLabPageFixture): Locator {
  return page.locator(`#${SIDEBAR}`);
}

export async function openSidebar(page: IJupyterLabPageFixture): Promise<void> {
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
  const newRun = panel(page).getByRole('button', { name: 'New run' });
  const form = page.getByRole('form', { name: 'Start a run' });
  await expect(newRun.or(form)).toBeVisible();
  if (await newRun.isVisible()) {
    await newRun.click();
  }
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
  await expect(page.getByTestId('bcc-state')).toHaveText(state, {
    timeout: 30_000
  });
}

/** What an accessibility checker finds in the sidebar that is serious or worse. */
export async function accessFindings(
  page: IJupyterLabPageFixture
): Promise<string[]> {
  await page.evaluate(AXE);
  return page.evaluate(async id => {
    const { axe } = window as unknown as {
      axe: {
        run: (where: string) => Promise<{
          violations: {
            id: string;
            impact: string;
            nodes: { html: string; failureSummary: string }[];
          }[];
        }>;
      };
    };
    const { violations } = await axe.run(`#${id}`);
    return violations
      .filter(({ impact }) => ['serious', 'critical'].includes(impact))
      .flatMap(({ id: rule, nodes }) =>
        nodes.map(
          ({ html, failureSummary }) => `${rule}: ${html}\n${failureSummary}`
        )
      );
  }, SIDEBAR);
}

/** The parts of the panel whose content is wider than they are. */
export async function cutOff(page: IJupyterLabPageFixture): Promise<string[]> {
  return page
    .locator(`#${SIDEBAR} [class^='bcc-']`)
    .evaluateAll((nodes: HTMLElement[]) =>
      nodes
        .filter(node => node.scrollWidth > node.clientWidth + 1)
        .filter(node => {
          const style = getComputedStyle(node);
          // An ellipsis says that there is more, and the title says what.
          return (
            style.display !== 'inline' &&
            style.textOverflow !== 'ellipsis' &&
            style.clipPath === 'none'
          );
        })
        .map(node => node.getAttribute('class') ?? '')
    );
}

/** Check and photograph a view: light and dark, 300 and 600 px wide. */
export async function portray(
  page: IJupyterLabPageFixture,
  view: string,
  language: Language = 'en'
): Promise<void> {
  // Eight looks at the view take their time on a small machine.
  test.setTimeout(240_000);
  for (const theme of ['light', 'dark'] as const) {
    await (theme === 'dark'
      ? page.theme.setDarkTheme()
      : page.theme.setLightTheme());
    for (const width of [300, 600]) {
      await page.sidebar.setWidth(width, 'right');
      await page.mouse.move(0, 0);
      expect(await cutOff(page), `${view} at ${String(width)} px`).toEqual([]);
      await panel(page).screenshot({
        path: resolve(
          IMAGES,
          `${view}-${theme}-${language}-${String(width)}.png`
        ),
        animations: 'disabled'
      });
    }
    expect(await accessFindings(page), `${view}, ${theme}`).toEqual([]);
  }
  await page.theme.setLightTheme();
  await page.sidebar.setWidth(380, 'right');
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
