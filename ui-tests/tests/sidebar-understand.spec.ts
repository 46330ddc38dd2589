import { readFileSync } from 'node:fs';

import { expect } from '@jupyterlab/galata';

import { portray } from '../looks';
import { PICTURE } from '../pictures';
import { test } from '../sidebar';

test('the tree leads to the cells, and a cell to its node', async ({
  page,
  side
}) => {
  await side.run('short');
  await side.until('workflow_completed');
  const stage = side.tree.getByRole('treeitem', { name: /Load the data/ });
  await stage.focus();
  await page.keyboard.press('ArrowRight');
  const step = side.tree.getByRole('treeitem', { name: /Check the columns/ });
  await step.focus();
  await page.keyboard.press('Enter');
  const active = page.locator('.jp-Notebook .jp-Cell.jp-mod-active');
  await expect(active).toContainText("['id', 'age']");
  await expect(side.tree.locator('[aria-selected="true"]')).toContainText(
    'columns'
  );

  // The run wrote five cells; JupyterLab may have put an empty one behind them.
  await page.notebook.selectCells(4);
  await expect(side.tree.locator('[aria-selected="true"]')).toContainText(
    'Forty-two rows'
  );
});

test(
  'every call to the planner can be read, searched and copied',
  PICTURE,
  async ({ page, side }) => {
    await page
      .context()
      .grantPermissions(['clipboard-read', 'clipboard-write']);
    await side.run('short');
    await side.until('workflow_completed');
    await side.press(/^Planner calls/);
    const search = side.panel.getByRole('searchbox', {
      name: 'Search the calls'
    });
    await search.fill('Forty-two');
    const calls = side.panel.getByRole('list', { name: 'Planner calls' });
    await calls.getByRole('button', { name: /Writing cells/ }).click();
    const answer = side.panel.getByRole('region', { name: 'Answer' });
    await expect(answer).toContainText('Forty-two rows, two columns.');
    await side.press('Copy');
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied).toContain('Forty-two rows');
    await side.press('Request');
    await expect(
      side.panel.getByRole('region', { name: 'Request' })
    ).toContainText('"observation"');
    await side.panel.locator('.bcc-CallDetail').scrollIntoViewIfNeeded();
    await portray(page, 'inspector');
  }
);

test(
  'context, timeline, state machine and the record',
  PICTURE,
  async ({ page, side }) => {
    const notebook = await side.run('short');
    await side.until('workflow_completed');
    await side.press('What the planner knows');
    const variables = side.panel.getByRole('list', { name: 'Variables' });
    await expect(variables).toContainText('rows');
    await expect(variables).toContainText('42');
    await expect(
      side.panel.getByRole('region', { name: 'Outputs, newest last' })
    ).toContainText('42');
    await expect(side.panel.getByRole('list', { name: 'To do' })).toContainText(
      'Write it down'
    );
    await expect(
      side.panel.getByRole('list', { name: 'Sections' })
    ).toContainText('Reading');

    await side.press('Timeline');
    await expect(
      side.panel.getByRole('list', { name: 'Timeline' })
    ).toContainText('COMPLETE_WORKFLOW');
    await side.press('State machine');
    await expect(
      side.panel.getByRole('img', {
        name: /the current state is workflow_completed/
      })
    ).toBeVisible();

    await side.press(/^Runs/);
    const saved = page.waitForEvent('download');
    await side.panel
      .getByRole('button', { name: `Export the record of ${notebook}` })
      .click();
    const record = JSON.parse(
      readFileSync(await (await saved).path(), 'utf8')
    ) as { format: string; transitions: unknown[]; calls: unknown[] };
    expect(record.format).toBe('notebook-bcc-run/1');
    expect(record.transitions.length).toBeGreaterThan(10);
    expect(record.calls.length).toBeGreaterThan(5);
    await portray(page, 'details');

    await page.menu.clickMenuItem('File>New Launcher');
    const tab = page.getByRole('tab', { name: 'short.ipynb' });
    await expect(tab).toHaveAttribute('aria-selected', 'false');
    await side.panel.getByRole('button', { name: `Open ${notebook}` }).click();
    await expect(tab).toHaveAttribute('aria-selected', 'true');
  }
);

test('it says how far the run is, and how often the plan was revised', async ({
  page,
  side
}) => {
  await side.run('twice');
  const confirm = page.getByTestId('bcc-confirm');
  await confirm.click({ timeout: 30_000 });
  await expect(
    side.panel.getByText('Step 2 of 5, plan revised 1 time')
  ).toBeVisible();
  await confirm.click({ timeout: 30_000 });
  await expect(
    side.panel.getByText('Step 3 of 7, plan revised 2 times')
  ).toBeVisible();
  await side.cancel();
});

test('of long lists only what is in sight is in the page', async ({
  page,
  side
}) => {
  await side.run('many');
  await side.until('workflow_completed');
  await side.tree.getByRole('treeitem', { name: /Load the data/ }).focus();
  await page.keyboard.press('ArrowRight');
  const step = side.tree.getByRole('treeitem', { name: /Check the columns/ });
  await step.focus();
  await page.keyboard.press('ArrowRight');
  await side.tree.getByRole('treeitem', { name: /302 actions/ }).focus();
  await page.keyboard.press('ArrowRight');
  await expect(
    side.tree.getByRole('treeitem', { name: /Line 1$/ })
  ).toBeVisible();
  expect(await side.tree.getByRole('treeitem').count()).toBeLessThan(50);
  await side.tree.evaluate(node => {
    node.scrollTop = node.scrollHeight;
  });
  await expect(
    side.tree.getByRole('treeitem', { name: /Report/ })
  ).toBeVisible();
  expect(await side.tree.getByRole('treeitem').count()).toBeLessThan(50);

  await side.press('What the planner knows');
  const variables = side.panel.getByRole('list', { name: 'Variables' });
  await expect(variables).toContainText('rows');
  expect(await variables.getByRole('listitem').count()).toBeLessThan(40);
});

test('several runs: the switcher shows the chosen one', async ({
  page,
  side
}) => {
  await side.run('short');
  await side.until('workflow_completed');
  await side.run('steps');
  await side.until('step_update_pending');
  const runs = side.panel.getByLabel('Run', { exact: true });
  const first = runs.locator('option', { hasText: 'short.ipynb' }).first();
  await runs.selectOption((await first.getAttribute('value')) ?? '');
  await side.until('workflow_completed');
  // From the status bar back to the one that waits.
  await page
    .getByRole('button', { name: 'Notebook-BCC: Waiting for you' })
    .click();
  await side.until('step_update_pending');
  await side.cancel();
});
