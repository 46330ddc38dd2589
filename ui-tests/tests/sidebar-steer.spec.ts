import { expect } from '@jupyterlab/galata';

import { PICTURE } from '../pictures';
import {
  agree,
  cellsOf,
  expectState,
  openSidebar,
  panel,
  portray,
  serverView,
  startRun,
  test
} from '../sidebar';

test('a running run says what it does', PICTURE, async ({
  page,
  tmpPath,
  planners
}) => {
  await openSidebar(page);
  await startRun(page, {
    url: planners.slow,
    notebook: `${tmpPath}/slow.ipynb`
  });
  await expectState(page, 'action_running');
  const state = panel(page).getByRole('region', { name: 'State' });
  await expect(state).toContainText('Ada is thinking');
  await expect(state).toContainText('Which columns are numbers?');
  await expect(state).toContainText('A cell is running');
  await expect(state).toContainText('Step 2 of 3');
  const goals = panel(page).getByRole('region', { name: 'Goal attainment' });
  await expect(
    goals.getByRole('meter', { name: 'Expected results of: Step' })
  ).toHaveAttribute('aria-valuenow', '0');
  await expect(goals).toContainText('The planner says:');
  await expect(panel(page)).toContainText('Types are known.');
  await portray(page, 'running');
  await panel(page).getByRole('button', { name: 'Cancel the run' }).click();
  await expectState(page, 'cancelled');
});

test('a run is paused, stepped, resumed, cancelled and reset', async ({
  page,
  tmpPath,
  planners
}) => {
  await openSidebar(page);
  const notebook = `${tmpPath}/steady.ipynb`;
  await startRun(page, { url: planners.steady, notebook });
  const actions = async (): Promise<number> =>
    (await serverView(page, notebook)).counts.actions;
  const state = panel(page).getByRole('region', { name: 'State' });
  const steer = panel(page).getByRole('group', { name: 'Steer the run' });
  await expect.poll(actions).toBeGreaterThan(6);

  await steer.getByRole('button', { name: 'Pause' }).click();
  await expect(state).toContainText('Paused by you');
  const paused = await actions();
  await steer.getByRole('button', { name: 'Single step' }).click();
  await expect(state).toContainText('Paused after one action');
  expect(await actions()).toBe(paused + 1);

  await steer.getByRole('button', { name: 'Resume' }).click();
  await expect(state).toContainText('Running');
  await expect.poll(actions).toBeGreaterThan(paused + 2);

  await steer.getByRole('button', { name: 'Cancel the run' }).click();
  await expectState(page, 'cancelled');
  expect((await serverView(page, notebook)).status).toBe('cancelled');
  const written = await cellsOf(page, notebook);
  expect(written).toContain('Line 1');

  await steer.getByRole('button', { name: 'Reset' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Back' }).click();
  expect(await cellsOf(page, notebook)).toEqual(written);
  await steer.getByRole('button', { name: 'Reset' }).click();
  await agree(page, 'Reset');
  await expectState(page, 'idle');
  await expect(state).toContainText('Reset: its cells were taken out');
  expect(await cellsOf(page, notebook)).toEqual([]);
});

test('Retry tries what failed once more', async ({
  page,
  tmpPath,
  planners
}) => {
  await openSidebar(page);
  const notebook = `${tmpPath}/retry.ipynb`;
  await startRun(page, { url: planners.flaky, notebook });
  await expectState(page, 'error');
  const ways = page.getByRole('list', { name: 'Ways to go on' });
  // Each says what it will do.
  await expect(ways.getByRole('listitem')).toHaveText([
    /Debug.*Tells the planner the error/,
    /Retry.*Tries what failed once more/,
    /Restart.*Begins the workflow again/,
    /Reset.*Takes the cells of this run out/
  ]);
  await ways.getByRole('button', { name: 'Retry' }).click();
  await agree(page, 'Retry');
  await expectState(page, 'workflow_completed');
  expect(
    (await cellsOf(page, notebook)).filter(cell => cell.includes('tries'))
  ).toHaveLength(1);
});

test('C6: Restart replaces the cells, Reset takes them away and frees the notebook', async ({
  page,
  tmpPath,
  planners
}) => {
  await openSidebar(page);
  const notebook = `${tmpPath}/again.ipynb`;
  await startRun(page, { url: planners.flaky, notebook });
  await expectState(page, 'error');
  const ways = page.getByRole('list', { name: 'Ways to go on' });
  await ways.getByRole('button', { name: 'Restart' }).click();
  await agree(page, 'Restart');
  await expectState(page, 'workflow_completed');
  const cells = await cellsOf(page, notebook);
  expect(cells.filter(cell => cell.includes('rows = 6'))).toHaveLength(1);

  const second = `${tmpPath}/reset.ipynb`;
  await startRun(page, { url: planners.failing, notebook: second });
  await expectState(page, 'error');
  await ways.getByRole('button', { name: 'Reset' }).click();
  await agree(page, 'Reset');
  await expectState(page, 'idle');
  await expect(page.getByTestId('bcc-error')).toBeHidden();
  expect((await serverView(page, second)).progress.stages).toEqual([]);
  const steer = panel(page).getByRole('group', { name: 'Steer the run' });
  await expect(steer.getByRole('button')).toHaveText(['Restart']);
  await expect(page.locator('.jp-Notebook:visible')).not.toContainText('1 / 0');
  expect(await cellsOf(page, second)).toEqual([]);
  // Nothing of it is in the way of another run there.
  await startRun(page, { url: planners.failing, notebook: second });
  await expectState(page, 'error');
});

test('a cell that takes long is calmly said to be slow', async ({
  page,
  tmpPath,
  planners
}) => {
  await openSidebar(page);
  await startRun(page, {
    url: planners.slow,
    notebook: `${tmpPath}/patience.ipynb`
  });
  await expectState(page, 'action_running');
  const slow = panel(page).getByText('This may be slow');
  await expect(slow).toBeHidden();
  await page.clock.install();
  await page.clock.fastForward(40_000);
  await expect(slow).toBeVisible();
  await panel(page).getByRole('button', { name: 'Cancel the run' }).click();
  await expectState(page, 'cancelled');
});

test('an error says what, where and what can be done; Debug repairs it', PICTURE, async ({
  page,
  tmpPath,
  planners
}) => {
  await openSidebar(page);
  await startRun(page, {
    url: planners.failing,
    notebook: `${tmpPath}/failing.ipynb`
  });
  await expectState(page, 'error');
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
  await expectState(page, 'workflow_completed');
  await expect(card).toBeHidden();
  await expect(panel(page)).toContainText('2 attempts');
});
