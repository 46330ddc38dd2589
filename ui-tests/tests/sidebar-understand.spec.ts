import { readFileSync } from 'node:fs';

import { expect } from '@jupyterlab/galata';

import {
  expectState,
  openSidebar,
  panel,
  portray,
  startRun,
  test
} from '../sidebar';

test('the tree leads to the cells, and a cell to its node', async ({
  page,
  tmpPath,
  planners
}) => {
  await openSidebar(page);
  const notebook = `${tmpPath}/tree.ipynb`;
  await startRun(page, { url: planners.short, notebook });
  await expectState(page, 'workflow_completed');
  const tree = panel(page).getByRole('tree', { name: 'Plan' });
  const stage = tree.getByRole('treeitem', { name: /Load the data/ });
  await stage.focus();
  await page.keyboard.press('ArrowRight');
  const step = tree.getByRole('treeitem', { name: /Check the columns/ });
  await step.focus();
  await page.keyboard.press('Enter');
  const active = page.locator('.jp-Notebook .jp-Cell.jp-mod-active');
  await expect(active).toContainText("['id', 'age']");
  await expect(tree.locator('[aria-selected="true"]')).toContainText('columns');

  const last = (await page.notebook.getCellCount()) - 1;
  await page.notebook.selectCells(last);
  await expect(tree.locator('[aria-selected="true"]')).toContainText(
    'Forty-two rows'
  );
});

test('every call to the planner can be read, searched and copied', async ({
  page,
  tmpPath,
  planners
}) => {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await openSidebar(page);
  await startRun(page, {
    url: planners.short,
    notebook: `${tmpPath}/calls.ipynb`
  });
  await expectState(page, 'workflow_completed');
  await panel(page).getByRole('button', { name: /^Planner calls/ }).click();
  const search = panel(page).getByRole('searchbox', {
    name: 'Search the calls'
  });
  await search.fill('Forty-two');
  const calls = panel(page).getByRole('list', { name: 'Planner calls' });
  await calls.getByRole('button', { name: /Writing cells/ }).click();
  const answer = panel(page).getByRole('region', { name: 'Answer' });
  await expect(answer).toContainText('Forty-two rows, two columns.');
  await panel(page).getByRole('button', { name: 'Copy' }).click();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(copied).toContain('Forty-two rows');
  await panel(page).getByRole('button', { name: 'Request' }).click();
  await expect(
    panel(page).getByRole('region', { name: 'Request' })
  ).toContainText('"observation"');
  await panel(page).locator('.bcc-CallDetail').scrollIntoViewIfNeeded();
  await portray(page, 'inspector');
});

test('context, timeline, state machine and the record', async ({
  page,
  tmpPath,
  planners
}) => {
  await openSidebar(page);
  await startRun(page, {
    url: planners.short,
    notebook: `${tmpPath}/context.ipynb`
  });
  await expectState(page, 'workflow_completed');
  const side = panel(page);
  await side.getByRole('button', { name: 'What the planner knows' }).click();
  const variables = side.getByRole('list', { name: 'Variables' });
  await expect(variables).toContainText('rows');
  await expect(variables).toContainText('42');
  await expect(
    side.getByRole('region', { name: 'Outputs, newest last' })
  ).toContainText('42');
  await expect(side).toContainText('Write it down');

  await side.getByRole('button', { name: 'Timeline' }).click();
  await expect(side.getByRole('list', { name: 'Timeline' })).toContainText(
    'COMPLETE_WORKFLOW'
  );
  await side.getByRole('button', { name: 'State machine' }).click();
  await expect(
    side.getByRole('img', { name: /the current state is workflow_completed/ })
  ).toBeVisible();

  await side.getByRole('button', { name: /^Runs/ }).click();
  const saved = page.waitForEvent('download');
  await side
    .getByRole('button', { name: `Export the record of ${tmpPath}/context.ipynb` })
    .click();
  const record = JSON.parse(
    readFileSync(await (await saved).path(), 'utf8')
  ) as { format: string; transitions: unknown[]; calls: unknown[] };
  expect(record.format).toBe('notebook-bcc-run/1');
  expect(record.transitions.length).toBeGreaterThan(10);
  expect(record.calls.length).toBeGreaterThan(5);
  await portray(page, 'details');
});

test('several runs: the switcher shows the chosen one', async ({
  page,
  tmpPath,
  planners
}) => {
  await openSidebar(page);
  await startRun(page, {
    url: planners.short,
    notebook: `${tmpPath}/first.ipynb`
  });
  await expectState(page, 'workflow_completed');
  await startRun(page, {
    url: planners.steps,
    notebook: `${tmpPath}/second.ipynb`
  });
  await expectState(page, 'step_update_pending');
  const runs = panel(page).getByLabel('Run', { exact: true });
  const first = runs.locator('option', { hasText: 'first.ipynb' }).first();
  await runs.selectOption((await first.getAttribute('value')) ?? '');
  await expectState(page, 'workflow_completed');
  // From the status bar back to the one that waits.
  await page
    .getByRole('button', { name: 'Notebook-BCC: Waiting for you' })
    .click();
  await expectState(page, 'step_update_pending');
  await panel(page).getByRole('button', { name: 'Cancel the run' }).click();
  await expectState(page, 'cancelled');
});
