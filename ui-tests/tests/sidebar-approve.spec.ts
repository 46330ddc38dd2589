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
  SIDEBAR,
  startRun,
  test,
  toldPlanner
} from '../sidebar';

test('a change to the workflow is shown, and confirmed with the keyboard', PICTURE, async ({
  page,
  tmpPath,
  planners
}) => {
  await openSidebar(page);
  const notebook = `${tmpPath}/confirm.ipynb`;
  await startRun(page, { url: planners.workflow, notebook });
  const card = page.getByTestId('bcc-pending');
  await expect(card).toBeVisible({ timeout: 30_000 });
  await expectState(page, 'workflow_update_pending');

  const changes = card.getByRole('list', { name: 'Proposed changes' });
  await expect(changes).toContainText('Added stage Model');
  await expect(changes).toContainText('Renamed stage Report → Findings');
  await expect(changes).toContainText('Moved step');
  await expect(changes).toContainText('Changed step');

  // Told wherever the person looks: tab, status bar, title of the page.
  await expect(
    page.locator(`.lm-TabBar-tab[data-id="${SIDEBAR}"]`)
  ).toHaveClass(/bcc-mod-waiting/);
  await expect(
    page.getByRole('button', { name: 'Notebook-BCC: Waiting for you' })
  ).toBeVisible();
  await expect(page).toHaveTitle(/^● /);
  await card.getByRole('button', { name: 'Old and new plan' }).click();
  await portray(page, 'pending');

  // The same after a reload.
  await page.reload();
  await openSidebar(page);
  await expect(card).toBeVisible();
  // While JupyterLab opens the notebook again, the notebook takes the keyboard.
  await expect(async () => {
    await page.keyboard.press('Control+Alt+W');
    const confirm = card.getByRole('button', { name: 'Confirm' });
    await expect(confirm).toBeFocused({ timeout: 2000 });
    await page.keyboard.press('Enter');
    await expect(card).toBeHidden({ timeout: 5000 });
  }).toPass();
  await expectState(page, 'workflow_completed');
  await expect(card).toBeHidden();
  await expect(page).toHaveTitle(/^[^●]/);
  const { progress } = await serverView(page);
  expect(progress.stages.map(({ name }) => name)).toEqual([
    'Load the data',
    'Model',
    'Findings'
  ]);
  expect(await cellsOf(page, notebook)).toContain('A baseline scores 0.8.');
  await expect(panel(page).getByText('plan revised 1 time')).toBeVisible();
});

test('a rejected workflow changes nothing, and the reason is told', async ({
  page,
  tmpPath,
  planners
}) => {
  await openSidebar(page);
  const notebook = `${tmpPath}/reject.ipynb`;
  await startRun(page, { url: planners.workflow, notebook });
  const card = page.getByTestId('bcc-pending');
  await card.getByRole('button', { name: 'Reject' }).click();
  await card.getByLabel('Reason for the planner (optional)').fill('No model');
  await card.getByRole('button', { name: 'Reject the proposal' }).click();
  await expectState(page, 'workflow_completed');
  await expect(panel(page)).toContainText('Last proposal: rejected by');
  await expect(panel(page)).toContainText('No model');
  const run = await serverView(page, notebook);
  expect(run.progress.stages.map(({ name }) => name)).toEqual([
    'Load the data',
    'Report'
  ]);
  expect(await cellsOf(page, notebook)).not.toContain('A baseline scores 0.8.');
  expect(await toldPlanner(page, run)).toContain('No model');
  // Who decided what is still known after a reload.
  await page.reload();
  await openSidebar(page);
  await expect(panel(page)).toContainText('Last proposal: rejected by');
});

test('a workflow is edited, then confirmed', async ({
  page,
  tmpPath,
  planners
}) => {
  await openSidebar(page);
  const notebook = `${tmpPath}/edited.ipynb`;
  await startRun(page, { url: planners.workflow, notebook });
  const card = page.getByTestId('bcc-pending');
  await card.getByRole('button', { name: 'Edit' }).click();
  await card.getByLabel('Name of stage 3').fill('What we found');
  await card.getByRole('button', { name: 'Move «Read the file» up' }).click();
  await card.getByRole('button', { name: 'Remove «Model»' }).click();
  await card.getByRole('button', { name: 'Confirm the edited plan' }).click();
  await expectState(page, 'workflow_completed');
  const { progress } = await serverView(page, notebook);
  expect(
    progress.stages.map(({ name, steps }) => [
      name,
      ...steps.map(step => step.name)
    ])
  ).toEqual([
    ['Load the data', 'Read the file', 'Check the columns'],
    ['What we found', 'Write it down']
  ]);
  expect(await cellsOf(page, notebook)).not.toContain('A baseline scores 0.8.');
  await expect(panel(page)).toContainText('edited and confirmed by');
});

test('an edit that cannot be is refused, and nothing is lost', async ({
  page,
  tmpPath,
  planners
}) => {
  await openSidebar(page);
  await startRun(page, {
    url: planners.workflow,
    notebook: `${tmpPath}/broken.ipynb`
  });
  const card = page.getByTestId('bcc-pending');
  await card.getByRole('button', { name: 'Edit' }).click();
  await card.getByLabel('Name of stage 1').fill('Kept');
  for (const name of ['Findings', 'Model', 'Kept']) {
    await card.getByRole('button', { name: `Remove «${name}»` }).click();
  }
  await card.getByRole('button', { name: 'Confirm the edited plan' }).click();
  await expect(
    panel(page).getByRole('alert').filter({ hasText: 'as it was edited' })
  ).toBeVisible();
  await expectState(page, 'workflow_update_pending');
  await card.getByRole('button', { name: 'Back' }).click();
  await card.getByRole('button', { name: 'Confirm' }).click();
  await expectState(page, 'workflow_completed');
});

test('new steps are confirmed, and done', async ({
  page,
  tmpPath,
  planners
}) => {
  await openSidebar(page);
  const notebook = `${tmpPath}/steps.ipynb`;
  await startRun(page, { url: planners.steps, notebook });
  const card = page.getByTestId('bcc-pending');
  await expect(
    card.getByRole('list', { name: 'Proposed changes' })
  ).toContainText('Added step Look for gaps', { timeout: 30_000 });
  await expectState(page, 'step_update_pending');
  // From anywhere, with one shortcut.
  await page.keyboard.press('Control+Alt+Y');
  await expectState(page, 'workflow_completed');
  const { progress } = await serverView(page, notebook);
  expect(progress.stages[0]?.steps.map(({ name }) => name)).toEqual([
    'Read the file',
    'Look for gaps',
    'Check columns and types'
  ]);
  expect(await cellsOf(page, notebook)).toContain('No gaps.');
});

test('steps are edited, then confirmed', async ({
  page,
  tmpPath,
  planners
}) => {
  await openSidebar(page);
  const notebook = `${tmpPath}/edit.ipynb`;
  await startRun(page, { url: planners.steps, notebook });
  const card = page.getByTestId('bcc-pending');
  await card.getByRole('button', { name: 'Edit' }).click();
  await card.getByLabel('Name of step 2').fill('Look for holes');
  await card
    .getByRole('button', { name: 'Remove «Check columns and types»' })
    .click();
  await card.getByRole('button', { name: 'Confirm the edited plan' }).click();
  await expectState(page, 'workflow_completed');
  const { progress } = await serverView(page);
  expect(progress.stages[0]?.steps.map(({ name }) => name)).toEqual([
    'Read the file',
    'Look for holes'
  ]);
});

test('rejected steps stop the run with the ways to go on', async ({
  page,
  tmpPath,
  planners
}) => {
  await openSidebar(page);
  await startRun(page, {
    url: planners.steps,
    notebook: `${tmpPath}/stop.ipynb`
  });
  const card = page.getByTestId('bcc-pending');
  await card.getByRole('button', { name: 'Reject' }).click();
  await card.getByLabel('Reason for the planner (optional)').fill('Too long');
  await card.getByRole('button', { name: 'Reject the proposal' }).click();
  await expectState(page, 'error');
  const { progress } = await serverView(page);
  expect(progress.stages[0]?.steps.map(({ name }) => name)).toEqual([
    'Read the file',
    'Check the columns'
  ]);
  const ways = page.getByRole('list', { name: 'Ways to go on' });
  await expect(ways.getByRole('button')).toHaveText([
    'Debug with the planner',
    'Retry',
    'Restart',
    'Reset'
  ]);
  await ways.getByRole('button', { name: 'Reset' }).click();
  await agree(page, 'Reset');
  await expectState(page, 'idle');
});

test('two tabs: one answers, the other says who decided what', async ({
  page,
  tmpPath,
  planners
}) => {
  await openSidebar(page);
  const notebook = `${tmpPath}/second.ipynb`;
  await startRun(page, { url: planners.steps, notebook });
  await expectState(page, 'step_update_pending');

  const other = await page.context().newPage();
  await other.goto(page.url().replace(/\/lab.*/, '/lab?reset'));
  await other.locator(`.lm-TabBar-tab[data-id="${SIDEBAR}"]`).click();
  const there = other.locator(`#${SIDEBAR}`);
  await expect(there.getByTestId('bcc-pending')).toBeVisible();

  await page
    .getByTestId('bcc-pending')
    .getByRole('button', { name: 'Confirm' })
    .click();
  await expect(there.getByTestId('bcc-pending')).toBeHidden();
  await expect(there.getByText(/Last proposal: confirmed by \S/)).toBeVisible();
  await expect(there.getByTestId('bcc-state')).toHaveAttribute(
    'data-state',
    'workflow_completed'
  );
  await expect(other).toHaveTitle(/^[^●]/);
  await other.close();
});

test('who answers too late is told who decided what', async ({
  page,
  tmpPath,
  planners
}) => {
  // News reach this tab late, as they do over a bad line.
  let late = false;
  await page.routeWebSocket(/notebook-bcc\/api\/live/, socket => {
    const server = socket.connectToServer();
    server.onMessage(message => {
      if (!late) {
        socket.send(message);
      }
    });
  });
  await page.reload();
  await openSidebar(page);
  const notebook = `${tmpPath}/late.ipynb`;
  await startRun(page, { url: planners.steps, notebook });
  const card = page.getByTestId('bcc-pending');
  await card.getByRole('button', { name: 'Reject' }).click();
  late = true;

  const other = await page.context().newPage();
  await other.goto(page.url().replace(/\/lab.*/, '/lab?reset'));
  await other.locator(`.lm-TabBar-tab[data-id="${SIDEBAR}"]`).click();
  await other.getByTestId('bcc-confirm').click();
  await expect(other.getByTestId('bcc-pending')).toBeHidden();

  await card.getByRole('button', { name: 'Reject the proposal' }).click();
  await expect(
    panel(page).getByRole('alert').filter({ hasText: /already confirmed by \S/ })
  ).toBeVisible();
  await expect(card).toBeHidden();
  await expect
    .poll(async () => (await serverView(page, notebook)).status)
    .toBe('done');
  await other.close();
});

test('with the strictest policy every cell is asked about, with its code', async ({
  page,
  tmpPath,
  planners
}) => {
  await openSidebar(page);
  await startRun(page, {
    url: planners.short,
    notebook: `${tmpPath}/code.ipynb`,
    approval: 'code'
  });
  const card = page.getByTestId('bcc-pending');
  await expect(card).toContainText('Write and run the next group of cells?', {
    timeout: 30_000
  });
  await card.getByRole('button', { name: 'Confirm' }).click();
  await expect(card).toContainText('Run this cell?');
  await expect(card.getByRole('region', { name: 'Code' })).toContainText(
    'rows = 6 * 7'
  );
  await panel(page).getByRole('button', { name: 'Cancel the run' }).click();
  await expect(card).toBeHidden();
  await expectState(page, 'cancelled');
});
