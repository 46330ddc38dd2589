import { readFileSync } from 'node:fs';

import { expect } from '@jupyterlab/galata';

import { PICTURE } from '../pictures';
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

  // The run wrote five cells; JupyterLab may have put an empty one behind them.
  await page.notebook.selectCells(4);
  await expect(tree.locator('[aria-selected="true"]')).toContainText(
    'Forty-two rows'
  );
});

test('every call to the planner can be read, searched and copied', PICTURE, async ({
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

test('context, timeline, state machine and the record', PICTURE, async ({
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
  await expect(side.getByRole('list', { name: 'To do' })).toContainText(
    'Write it down'
  );
  await expect(side.getByRole('list', { name: 'Sections' })).toContainText(
    'Reading'
  );

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

  await page.menu.clickMenuItem('File>New Launcher');
  const tab = page.getByRole('tab', { name: 'context.ipynb' });
  await expect(tab).toHaveAttribute('aria-selected', 'false');
  await side
    .getByRole('button', { name: `Open ${tmpPath}/context.ipynb` })
    .click();
  await expect(tab).toHaveAttribute('aria-selected', 'true');
});

test('it says how far the run is, and how often the plan was revised', async ({
  page,
  tmpPath,
  planners
}) => {
  await openSidebar(page);
  await startRun(page, {
    url: planners.twice,
    notebook: `${tmpPath}/twice.ipynb`
  });
  const confirm = page.getByTestId('bcc-confirm');
  await confirm.click({ timeout: 30_000 });
  await expect(panel(page).getByText('Step 2 of 5, plan revised 1 time')).toBeVisible();
  await confirm.click({ timeout: 30_000 });
  await expect(
    panel(page).getByText('Step 3 of 7, plan revised 2 times')
  ).toBeVisible();
  await panel(page).getByRole('button', { name: 'Cancel the run' }).click();
  await expectState(page, 'cancelled');
});

test('of long lists only what is in sight is in the page', async ({
  page,
  tmpPath,
  planners
}) => {
  await openSidebar(page);
  await startRun(page, {
    url: planners.many,
    notebook: `${tmpPath}/many.ipynb`
  });
  await expectState(page, 'workflow_completed');
  const side = panel(page);
  const tree = side.getByRole('tree', { name: 'Plan' });
  await tree.getByRole('treeitem', { name: /Load the data/ }).focus();
  await page.keyboard.press('ArrowRight');
  const step = tree.getByRole('treeitem', { name: /Check the columns/ });
  await step.focus();
  await page.keyboard.press('ArrowRight');
  await tree.getByRole('treeitem', { name: /302 actions/ }).focus();
  await page.keyboard.press('ArrowRight');
  await expect(tree.getByRole('treeitem', { name: /Line 1$/ })).toBeVisible();
  expect(await tree.getByRole('treeitem').count()).toBeLessThan(50);
  await tree.evaluate(node => {
    node.scrollTop = node.scrollHeight;
  });
  await expect(tree.getByRole('treeitem', { name: /Report/ })).toBeVisible();
  expect(await tree.getByRole('treeitem').count()).toBeLessThan(50);

  await side.getByRole('button', { name: 'What the planner knows' }).click();
  const variables = side.getByRole('list', { name: 'Variables' });
  await expect(variables).toContainText('rows');
  expect(await variables.getByRole('listitem').count()).toBeLessThan(40);
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
