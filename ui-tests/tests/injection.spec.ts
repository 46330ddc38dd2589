import { expect, type IJupyterLabPageFixture } from '@jupyterlab/galata';
import type { Page } from '@playwright/test';

import { openNotebook, untilStatus } from '../live';
import { expectState, openSidebar, panel, startRun, test } from '../sidebar';

const DANGEROUS =
  'script, iframe, object, embed, base, meta, link, form[action]';

/** Everything that would betray script of the planner: calls, dialogs, windows, requests. */
async function listen(
  page: IJupyterLabPageFixture
): Promise<() => Promise<string[]>> {
  const seen: string[] = [];
  await page.context().exposeFunction('__report', (what: string) => {
    seen.push(what);
  });
  await page.context().addInitScript(() => {
    const page = window as unknown as {
      __hit: (number: unknown) => void;
      __report: (what: string) => void;
    };
    page.__hit = number => {
      page.__report(`script ${String(number)} ran`);
    };
  });
  page.on('dialog', dialog => {
    if (dialog.type() === 'beforeunload') {
      // JupyterLab's own, when a reload finds something unsaved.
      void dialog.accept();
      return;
    }
    seen.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.context().on('page', (opened: Page) => {
    seen.push(`a window was opened: ${opened.url()}`);
  });
  page.on('request', request => {
    const url = decodeURIComponent(request.url());
    // A picture or a style with the address `javascript:…` is asked for, and never run.
    if (/^https?:.*__hit/s.test(url) && !/\.ipynb|api\//.test(url)) {
      seen.push(`request: ${url}`);
    }
  });
  await page.reload();
  return async () => {
    await page.waitForTimeout(300);
    return seen;
  };
}

/** Elements below `root` that could run something, or would on a click. */
async function armed(
  page: IJupyterLabPageFixture,
  root: string
): Promise<string[]> {
  return page.locator(root).evaluateAll((roots: Element[], dangerous) => {
    const found: string[] = [];
    for (const element of roots.flatMap(r => [...r.querySelectorAll('*')])) {
      const names = element.getAttributeNames();
      const handlers = names.filter(name => name.startsWith('on'));
      const links = names.filter(
        name =>
          !element.matches('img') &&
          /^\s*(java|vb)script:|^\s*data:text\/html/i.test(
            (element.getAttribute(name) ?? '').replace(/[\s\u0000]/g, '')
          )
      );
      if (element.matches(dangerous) || handlers.length || links.length) {
        found.push(element.outerHTML.slice(0, 200));
      }
    }
    return found;
  }, DANGEROUS);
}

/**
 * Open whatever can be opened in the sidebar, to look at what is then there. From inside the page:
 * there are hundreds of things to open, and a script behind one of them would run all the same.
 */
async function openEverything(page: IJupyterLabPageFixture): Promise<void> {
  const closed = panel(page).locator('button[aria-expanded="false"], summary');
  for (let round = 0; round < 3; round++) {
    await closed.evaluateAll(async all => {
      for (const each of all as HTMLElement[]) {
        each.click();
        await new Promise(requestAnimationFrame);
      }
    });
  }
  await panel(page)
    .getByRole('treeitem')
    .evaluateAll(async items => {
      for (const item of items as HTMLElement[]) {
        item.focus();
        const key = { key: 'ArrowRight', bubbles: true };
        item.dispatchEvent(new KeyboardEvent('keydown', key));
        await new Promise(requestAnimationFrame);
      }
    });
}

async function nothingRuns(
  page: IJupyterLabPageFixture,
  seen: () => Promise<string[]>,
  where: string
): Promise<void> {
  await openEverything(page);
  expect(await seen(), where).toEqual([]);
  expect(await armed(page, '#notebook-bcc-sidebar'), where).toEqual([]);
  expect(await armed(page, '.jp-RenderedMarkdown'), where).toEqual([]);
  expect(await armed(page, '.Toastify'), where).toEqual([]);
}

test('no text of a planner runs, wherever it is shown', async ({
  page,
  tmpPath,
  planners
}) => {
  test.setTimeout(180_000);
  const seen = await listen(page);
  await openSidebar(page);
  const notebook = `${tmpPath}/hostile.ipynb`;
  await startRun(page, { url: planners.hostile, notebook });
  await expectState(page, 'workflow_update_pending');
  // The text is there, as text.
  await expect(panel(page)).toContainText('<script>__hit(1)</script>');
  await nothingRuns(page, seen, 'a proposal');

  // Everything is open by now, the list of calls too.
  const calls = panel(page).getByRole('list', { name: 'Planner calls' });
  await calls.getByRole('button').first().click();
  await nothingRuns(page, seen, 'the call inspector');

  await panel(page).getByTestId('bcc-confirm').click();
  await expectState(page, 'error');
  await nothingRuns(page, seen, 'the error card');

  // Every cell, rendered; and again as JupyterLab opens it from the file.
  const cells = page.locator('.jp-Notebook .jp-RenderedMarkdown');
  expect(await cells.count()).toBeGreaterThan(30);
  await cells.evaluateAll(async all => {
    for (const cell of all) {
      cell.scrollIntoView();
      await new Promise(requestAnimationFrame);
      for (const link of cell.querySelectorAll('a')) {
        link.click();
      }
    }
  });
  await nothingRuns(page, seen, 'the notebook');
  await page.reload();
  await openSidebar(page);
  await openNotebook(page, notebook);
  await nothingRuns(page, seen, 'after a reload');
});

test('the alarm works: a page that does run it is noticed', async ({
  page
}) => {
  const seen = await listen(page);
  await page.evaluate(() => {
    const div = document.createElement('div');
    div.className = 'jp-RenderedMarkdown';
    div.innerHTML = '<img src=x onerror=__hit(2)>';
    document.body.append(div);
  });
  expect(await seen()).toEqual(['script 2 ran']);
  expect(await armed(page, '.jp-RenderedMarkdown')).toHaveLength(1);
});

const TAG = '<img src=x onerror=__hit(3)>';
/** What a file, a column and a value are called here. */
const HOSTILE = `e\`${TAG}\``;

function hostileTable(): string {
  const rows = Array.from({ length: 80 }, (_, row) =>
    [
      row % 3 ? 'plain' : HOSTILE,
      String((row * 7) % 50),
      row % 4 ? 'no' : 'yes'
    ].join()
  );
  return [`${HOSTILE},amount,left`, ...rows].join('\n');
}

test('S5: a file, a column and a value with script for a name are shown as text', async ({
  page,
  tmpPath
}) => {
  test.setTimeout(180_000);
  const seen = await listen(page);
  await openSidebar(page);
  const data = `${HOSTILE}.csv`;
  await page.contents.uploadContent(
    hostileTable(),
    'text',
    `${tmpPath}/${data}`
  );
  const notebook = `${tmpPath}/hostile-data.ipynb`;
  const started = await page.request.post('/notebook-bcc/api/runs', {
    data: {
      notebook,
      data,
      goal: 'Why is it left?',
      approval: 'none',
      planner: { kind: 'embedded', playbook: 'lifecycle' }
    }
  });
  expect(started.status(), await started.text()).toBe(201);
  const { id } = (await started.json()) as { id: string };
  await untilStatus(page, id, 'done');

  await openNotebook(page, notebook);
  const shown = page.locator('.jp-Notebook:visible');
  // JupyterLab renders what comes into sight: every cell has to have been there.
  for (const cell of await shown.locator('.jp-Cell').all()) {
    await cell.scrollIntoViewIfNeeded();
  }
  await shown.locator('.jp-Cell').first().scrollIntoViewIfNeeded();
  const text = (await shown.innerText()).replaceAll('\u00a0', ' ');
  expect(text, 'the file').toContain(data);
  const inTables = shown.locator('.jp-RenderedHTMLCommon table');
  await expect(
    inTables.getByText(HOSTILE, { exact: true }).first()
  ).toBeAttached();
  await nothingRuns(page, seen, 'the report');
  expect(await armed(page, '.jp-OutputArea'), 'outputs').toEqual([]);
  expect(await armed(page, '.jp-FileBrowser'), 'the list of files').toEqual([]);
});
