import { expect } from '@jupyterlab/galata';

import { portray } from '../looks';
import { PICTURE } from '../pictures';
import { agree, cellsOf, serverView, test } from '../sidebar';

test('a running run says what it does', PICTURE, async ({ page, side }) => {
  await side.run('slow');
  await side.until('action_running');
  const state = side.panel.getByRole('region', { name: 'State' });
  await expect(state).toContainText('Ada is thinking');
  await expect(state).toContainText('Which columns are numbers?');
  await expect(state).toContainText('A cell is running');
  await expect(state).toContainText('Step 2 of 3');
  const goals = side.panel.getByRole('region', { name: 'Goal attainment' });
  await expect(
    goals.getByRole('meter', { name: 'Expected results of: Step' })
  ).toHaveAttribute('aria-valuenow', '0');
  await expect(goals).toContainText('The planner says:');
  await expect(side.panel).toContainText('Types are known.');
  await portray(page, 'running');
  await side.cancel();
});

test('a run is paused, stepped, resumed, cancelled and reset', async ({
  page,
  side
}) => {
  const notebook = await side.run('steady');
  const actions = async (): Promise<number> =>
    (await serverView(page, notebook)).counts.actions;
  const state = side.panel.getByRole('region', { name: 'State' });
  await expect.poll(actions).toBeGreaterThan(6);

  await side.steering.getByRole('button', { name: 'Pause' }).click();
  await expect(state).toContainText('Paused by you');
  const paused = await actions();
  await side.steering.getByRole('button', { name: 'Single step' }).click();
  await expect(state).toContainText('Paused after one action');
  expect(await actions()).toBe(paused + 1);

  await side.steering.getByRole('button', { name: 'Resume' }).click();
  await expect(state).toContainText('Running');
  await expect.poll(actions).toBeGreaterThan(paused + 2);

  await side.steering.getByRole('button', { name: 'Cancel the run' }).click();
  await side.until('cancelled');
  expect((await serverView(page, notebook)).status).toBe('cancelled');
  const written = await cellsOf(page, notebook);
  expect(written).toContain('Line 1');

  await side.steering.getByRole('button', { name: 'Reset' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Back' }).click();
  expect(await cellsOf(page, notebook)).toEqual(written);
  await side.steering.getByRole('button', { name: 'Reset' }).click();
  await agree(page, 'Reset');
  await side.until('idle');
  await expect(state).toContainText('Reset: its cells were taken out');
  await expect.poll(async () => await cellsOf(page, notebook)).toEqual([]);
});

test('Retry tries what failed once more', async ({ page, side }) => {
  const notebook = await side.run('flaky');
  await side.until('error');
  // Each says what it will do.
  await expect(side.waysOn.getByRole('listitem')).toHaveText([
    /Debug.*Tells the planner the error/,
    /Retry.*Tries what failed once more/,
    /Restart.*Begins the workflow again/,
    /Reset.*Takes the cells of this run out/
  ]);
  await side.goOn('Retry');
  await side.until('workflow_completed');
  expect(
    (await cellsOf(page, notebook)).filter(cell => cell.includes('tries'))
  ).toHaveLength(1);
});

test('C6: Restart replaces the cells, Reset takes them away and frees the notebook', async ({
  page,
  side
}) => {
  const notebook = await side.run('flaky');
  await side.until('error');
  await side.goOn('Restart');
  await side.until('workflow_completed');
  const cells = await cellsOf(page, notebook);
  expect(cells.filter(cell => cell.includes('rows = 6'))).toHaveLength(1);

  const second = await side.run('failing');
  await side.until('error');
  await side.goOn('Reset');
  await side.until('idle');
  await expect(page.getByTestId('bcc-error')).toBeHidden();
  expect((await serverView(page, second)).progress.stages).toEqual([]);
  await expect(side.steering.getByRole('button')).toHaveText(['Restart']);
  await expect(page.locator('.jp-Notebook:visible')).not.toContainText('1 / 0');
  // The file follows a little later.
  await expect.poll(async () => await cellsOf(page, second)).toEqual([]);
  // Nothing of it is in the way of another run there.
  await side.run('failing');
  await side.until('error');
});

test('a cell that takes long is calmly said to be slow', async ({
  page,
  side
}) => {
  await side.run('slow');
  await side.until('action_running');
  const slow = side.panel.getByText('This may be slow');
  await expect(slow).toBeHidden();
  await page.clock.install();
  await page.clock.fastForward(40_000);
  await expect(slow).toBeVisible();
  await side.cancel();
});

test(
  'an error says what, where and what can be done; Debug repairs it',
  PICTURE,
  async ({ page, side }) => {
    await side.run('failing');
    await side.until('error');
    const card = page.getByTestId('bcc-error');
    await expect(card.getByRole('alert')).toHaveText('A cell failed');
    await expect(card).toContainText('ZeroDivisionError: division by zero');
    await expect(card).toContainText('Load the data › Check the columns');
    await card.getByRole('button', { name: 'Output' }).click();
    await expect(card.getByRole('region', { name: 'Output' })).toContainText(
      'columns = 1 / 0'
    );
    await portray(page, 'error');

    await card.getByRole('button', { name: 'Show the cell' }).click();
    const failed = page.locator('.jp-CodeCell.jp-mod-active');
    await expect(failed).toContainText('1 / 0');
    // The cell itself offers the same.
    await failed
      .getByRole('button', { name: /Tells the planner the error/ })
      .click();
    await agree(page, 'Debug');
    await side.until('workflow_completed');
    await expect(card).toBeHidden();
    await expect(side.panel).toContainText('2 attempts');
  }
);
