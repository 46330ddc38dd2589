import { expect } from '@jupyterlab/galata';
import type { Page } from '@playwright/test';

import type { Planner } from './planner';

/** Galata's page, or a second one without its helpers. */
export type LivePage = Pick<
  Page,
  'evaluate' | 'keyboard' | 'locator' | 'request'
>;

export interface IRunView {
  id: string;
  status: string;
  error: { message: string } | null;
  pending: { id: string; kind: string } | null;
  counts: { cells_added: number };
}

export interface ISeenCell {
  id: string;
  type: string;
  source: string;
  outputs: unknown[];
  count: number | null;
}

export interface IForeignCell {
  source: string;
  outputs: object[];
}

const API = '/notebook-bcc/api';

export async function startRun(
  page: LivePage,
  notebook: string,
  planner: Planner
): Promise<string> {
  const response = await page.request.post(`${API}/runs`, {
    data: { notebook, planner: { kind: 'http', url: planner.url } }
  });
  expect(response.status(), await response.text()).toBe(201);
  return ((await response.json()) as IRunView).id;
}

export async function viewOf(page: LivePage, runId: string): Promise<IRunView> {
  const response = await page.request.get(`${API}/runs/${runId}`);
  return (await response.json()) as IRunView;
}

export async function command(
  page: LivePage,
  runId: string,
  name: string
): Promise<void> {
  const response = await page.request.post(`${API}/runs/${runId}/commands`, {
    data: { command: name }
  });
  expect(response.ok(), await response.text()).toBe(true);
}

export async function untilStatus(
  page: LivePage,
  runId: string,
  ...wanted: string[]
): Promise<IRunView> {
  let view = await viewOf(page, runId);
  await expect
    .poll(
      async () => {
        view = await viewOf(page, runId);
        return wanted.includes(view.status) || view.status === 'failed'
          ? view.status
          : `${view.status} ${view.error?.message ?? ''}`;
      },
      { timeout: 60_000 }
    )
    .toMatch(new RegExp(`^(${wanted.join('|')})$`));
  return view;
}

/** The file, as the contents API gives it. */
export async function onDisk(
  page: LivePage,
  path: string
): Promise<ISeenCell[]> {
  const response = await page.request.get(`/api/contents/${path}?content=1`);
  expect(response.status(), await response.text()).toBe(200);
  const model = (await response.json()) as { content: { cells: unknown[] } };
  return model.content.cells.map(asSeen);
}

/**
 * The open notebook, cell by cell, from the page's own widgets; what is shown must be what the
 * model has, in that order, at one and the same moment, since cells may be streaming in.
 */
export async function inPage(page: LivePage): Promise<ISeenCell[]> {
  let cells: unknown[] = [];
  await expect
    .poll(
      async () => {
        const seen = await page.evaluate(() => {
          const panel = window.jupyterapp.shell.currentWidget as unknown as {
            content: {
              node: HTMLElement;
              widgets: { node: HTMLElement; model: { toJSON(): unknown } }[];
            };
          };
          const { node, widgets } = panel.content;
          const shown = Array.from(node.querySelectorAll('.jp-Cell'));
          const other = widgets.findIndex(
            (widget, index) => widget.node !== shown[index]
          );
          return {
            cells: widgets.map(widget => widget.model.toJSON()),
            difference:
              other < 0 && shown.length === widgets.length
                ? ''
                : `${String(shown.length)} cells shown of ${String(widgets.length)}; ` +
                  `number ${String(other)} is at ${String(shown.indexOf(widgets[other]?.node ?? document.body))}`
          };
        });
        cells = seen.cells;
        return seen.difference;
      },
      { timeout: 60_000 }
    )
    .toBe('');
  return cells.map(asSeen);
}

/**
 * The same from the model: a large notebook is put into the page little by little. What is there
 * already must be in the right order.
 */
export async function inModel(page: LivePage): Promise<ISeenCell[]> {
  const { cells, inOrder } = await page.evaluate(() => {
    const { content } = window.jupyterapp.shell.currentWidget as unknown as {
      content: {
        node: HTMLElement;
        widgets: { node: HTMLElement; model: { toJSON(): unknown } }[];
      };
    };
    const shown = Array.from(content.node.querySelectorAll('.jp-Cell'));
    const there = content.widgets.filter(({ node }) => node.isConnected);
    return {
      cells: content.widgets.map(({ model }) => model.toJSON()),
      inOrder:
        there.length === shown.length &&
        there.every(({ node }, index) => node === shown[index])
    };
  });
  expect(inOrder).toBe(true);
  return cells.map(asSeen);
}

function asSeen(value: unknown): ISeenCell {
  const cell = value as Record<string, unknown>;
  return {
    id: String(cell.id),
    type: String(cell.cell_type),
    source: String(cell.source),
    outputs: (cell.outputs as unknown[] | undefined) ?? [],
    count: (cell.execution_count as number | null | undefined) ?? null
  };
}

export async function isDirty(page: LivePage): Promise<boolean> {
  return await page.evaluate(() => {
    const panel = window.jupyterapp.shell.currentWidget as unknown as {
      context: { model: { dirty: boolean } };
    };
    return panel.context.model.dirty;
  });
}

/** Save as the person would, and wait until the file is what the page shows. */
export async function expectSameOnDisk(
  page: LivePage,
  path: string,
  read = inPage
): Promise<ISeenCell[]> {
  // JupyterLab passes over a save while another one is under way. What was typed meanwhile stays
  // marked as unsaved then, and the person saves again.
  await expect
    .poll(async () => {
      await save(page);
      return await isDirty(page);
    })
    .toBe(false);
  const cells = await read(page);
  await expect
    .poll(async () => await onDisk(page, path), { timeout: 20_000 })
    .toEqual(cells);
  return cells;
}

export async function expectNoDialog(page: LivePage): Promise<void> {
  await expect(page.locator('.jp-Dialog')).toHaveCount(0);
}

/** Every id once. */
export function expectNoDoubles(cells: readonly ISeenCell[]): void {
  const ids = cells.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
}

export function sources(cells: readonly ISeenCell[]): string[] {
  return cells.map(({ source }) => source);
}

/** A notebook file with these cells, and one that came with outputs. */
export async function makeNotebook(
  page: LivePage,
  path: string,
  cells: string[],
  foreign?: IForeignCell
): Promise<void> {
  const content = {
    nbformat: 4,
    nbformat_minor: 5,
    metadata: {
      kernelspec: {
        name: 'python3',
        display_name: 'Python 3 (ipykernel)',
        language: 'python'
      }
    },
    cells: [
      ...cells.map((source, index) => ({
        id: `own-${String(index)}`,
        source,
        outputs: []
      })),
      ...(foreign ? [{ id: 'foreign', ...foreign }] : [])
    ].map(cell => ({
      cell_type: 'code',
      metadata: {},
      execution_count: null,
      ...cell
    }))
  };
  const response = await page.request.put(`/api/contents/${path}`, {
    data: { type: 'notebook', format: 'json', content }
  });
  expect(response.ok(), await response.text()).toBe(true);
}

/** Open a notebook and have it as the current one. */
export async function openNotebook(
  page: LivePage,
  path: string
): Promise<void> {
  await page.evaluate(async notebook => {
    const panel = (await window.jupyterapp.commands.execute('docmanager:open', {
      path: notebook
    })) as {
      context: { ready: Promise<void> };
      sessionContext: {
        ready: Promise<void>;
        session: { kernel: { info: Promise<unknown> } | null } | null;
      };
    };
    await panel.context.ready;
    await panel.sessionContext.ready;
    await panel.sessionContext.session?.kernel?.info;
  }, path);
  await expect(page.locator('.jp-Notebook:visible')).toHaveCount(1);
}

/** Put the cursor into a cell and type at its end. */
export async function typeInCell(
  page: LivePage,
  index: number,
  words: string
): Promise<void> {
  const editor = page
    .locator('.jp-Notebook:visible .jp-Cell')
    .nth(index)
    .locator('.cm-content');
  await editor.click();
  await page.keyboard.press('Control+End');
  await page.keyboard.type(words);
}

/** Wait until JupyterLab is there, after a load that galata does not wait for. */
export async function untilStarted(page: Page): Promise<void> {
  await page.waitForFunction(() => 'jupyterapp' in window);
  await page.evaluate(async () => {
    await window.jupyterapp.restored;
  });
}

/** Galata waits for the launcher after a reload; a restored notebook has taken its place. */
export async function reloadPage(
  page: LivePage & { reload(options?: object): Promise<unknown> }
): Promise<void> {
  await page.reload({ waitForIsReady: false });
}

/** Another browser tab with the same notebook. */
export async function secondTab(page: Page, path: string): Promise<Page> {
  const second = await page.context().newPage();
  await second.goto(`/lab/workspaces/second-${String(Date.now())}`);
  await untilStarted(second);
  await openNotebook(second, path);
  return second;
}

/** Save with JupyterLab's command, and wait for it. */
export async function save(page: LivePage): Promise<void> {
  await page.evaluate(async () => {
    await window.jupyterapp.commands.execute('docmanager:save');
  });
}

/** What a person does to a cell, by its id. */
export async function changeCell(
  page: LivePage,
  id: string,
  change: 'delete' | 'move up' | 'split' | { append: string }
): Promise<void> {
  await page.evaluate(
    async ({ cellId, what }) => {
      const { commands, shell } = window.jupyterapp;
      const panel = shell.currentWidget as unknown as {
        content: {
          activeCellIndex: number;
          mode: string;
          widgets: {
            model: {
              id: string;
              sharedModel: {
                source: string;
                updateSource(start: number, end: number, text: string): void;
              };
            };
            editor: {
              setCursorPosition(at: { line: number; column: number }): void;
            } | null;
          }[];
          scrollToItem(index: number): Promise<void>;
        };
      };
      const { content } = panel;
      const index = content.widgets.findIndex(
        widget => widget.model.id === cellId
      );
      const cell = content.widgets[index];
      if (cell === undefined) {
        throw new Error(`no cell ${cellId}`);
      }
      if (typeof what === 'object') {
        const { sharedModel } = cell.model;
        const { length } = sharedModel.source;
        sharedModel.updateSource(length, length, what.append);
        return;
      }
      content.activeCellIndex = index;
      content.mode = 'command';
      if (what === 'delete') {
        await commands.execute('notebook:delete-cell');
      } else if (what === 'move up') {
        await commands.execute('notebook:move-cell-up');
      } else {
        // A cell that was never in view has no editor yet.
        await content.scrollToItem(index).catch(() => undefined);
        while (cell.editor === null) {
          await new Promise(resolve => setTimeout(resolve, 50));
        }
        cell.editor.setCursorPosition({ line: 0, column: 4 });
        await commands.execute('notebook:split-cell-at-cursor');
      }
    },
    { cellId: id, what: change }
  );
}
