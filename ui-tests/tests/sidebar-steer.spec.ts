import { expect } from '@jupyterlab/galata';

import {
  expectState,
  openSidebar,
  panel,
  portray,
  startRun,
  test
} from '../sidebar';

test('a running run says what it does, and is paused, stepped, cancelled', async ({
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
  await portray(page, 'running');

  const steer = panel(page).getByRole('group', { name: 'Steer the run' });
  await steer.getByRole('button', { name: 'Pause' }).click();
  await expect(state).toContainText('Paused by you');
  await expect(steer.getByRole('button', { name: 'Single step' })).toBeVisible();
  await steer.getByRole('button', { name: 'Resume' }).click();
  await expect(state).toContainText('Running');
  await steer.getByRole('button', { name: 'Cancel the run' }).click();
  await expectState(page, 'cancelled');
  await steer.getByRole('button', { name: 'Reset' }).click();
  await expectState(page, 'idle');
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

test('an error says what, where and what can be done; Debug repairs it', async ({
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
  await expectState(page, 'workflow_completed');
  await expect(card).toBeHidden();
  await expect(panel(page)).toContainText('2 attempts');
});
