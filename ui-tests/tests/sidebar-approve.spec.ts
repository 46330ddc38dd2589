import { expect } from '@jupyterlab/galata';

import { portray } from '../looks';
import { PICTURE } from '../pictures';
import {
  cellsOf,
  openSidebar,
  serverView,
  SIDEBAR,
  test,
  toldPlanner
} from '../sidebar';

test(
  'a change to the workflow is shown, and confirmed with the keyboard',
  PICTURE,
  async ({ page, side }) => {
    const notebook = await side.run('workflow');
    await expect(side.card).toBeVisible({ timeout: 30_000 });
    await side.until('workflow_update_pending');

    const changes = side.card.getByRole('list', { name: 'Proposed changes' });
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
    await side.answer('Old and new plan');
    await portray(page, 'pending');

    // The same after a reload.
    await page.reload();
    await openSidebar(page);
    await expect(side.card).toBeVisible();
    // While JupyterLab opens the notebook again, the notebook takes the keyboard.
    await expect(async () => {
      await page.keyboard.press('Control+Alt+W');
      const confirm = side.card.getByRole('button', { name: 'Confirm' });
      await expect(confirm).toBeFocused({ timeout: 2000 });
      await page.keyboard.press('Enter');
      await expect(side.card).toBeHidden({ timeout: 5000 });
    }).toPass();
    await side.until('workflow_completed');
    await expect(side.card).toBeHidden();
    await expect(page).toHaveTitle(/^[^●]/);
    const { progress } = await serverView(page);
    expect(progress.stages.map(({ name }) => name)).toEqual([
      'Load the data',
      'Model',
      'Findings'
    ]);
    expect(await cellsOf(page, notebook)).toContain('A baseline scores 0.8.');
    await expect(side.panel.getByText('plan revised 1 time')).toBeVisible();
  }
);

test('a rejected workflow changes nothing, and the reason is told', async ({
  page,
  side
}) => {
  const notebook = await side.run('workflow');
  await side.reject('No model');
  await side.until('workflow_completed');
  await expect(side.panel).toContainText('Last proposal: rejected by');
  await expect(side.panel).toContainText('No model');
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
  await expect(side.panel).toContainText('Last proposal: rejected by');
});

test('a workflow is edited, then confirmed', async ({ page, side }) => {
  const notebook = await side.run('workflow');
  await side.answer('Edit');
  await side.card.getByLabel('Name of stage 3').fill('What we found');
  await side.answer('Move «Read the file» up');
  await side.answer('Remove «Model»');
  await side.answer('Confirm the edited plan');
  await side.until('workflow_completed');
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
  await expect(side.panel).toContainText('edited and confirmed by');
});

test('an edit that cannot be is refused, and nothing is lost', async ({
  side
}) => {
  await side.run('workflow');
  await side.answer('Edit');
  await side.card.getByLabel('Name of stage 1').fill('Kept');
  for (const name of ['Findings', 'Model', 'Kept']) {
    await side.card.getByRole('button', { name: `Remove «${name}»` }).click();
  }
  await side.answer('Confirm the edited plan');
  await expect(
    side.panel.getByRole('alert').filter({ hasText: 'as it was edited' })
  ).toBeVisible();
  await side.until('workflow_update_pending');
  await side.answer('Back');
  await side.answer('Confirm');
  await side.until('workflow_completed');
});

test('new steps are confirmed, and done', async ({ page, side }) => {
  const notebook = await side.run('steps');
  await expect(
    side.card.getByRole('list', { name: 'Proposed changes' })
  ).toContainText('Added step Look for gaps', { timeout: 30_000 });
  await side.until('step_update_pending');
  // From anywhere, with one shortcut.
  await page.keyboard.press('Control+Alt+Y');
  await side.until('workflow_completed');
  const { progress } = await serverView(page, notebook);
  expect(progress.stages[0]?.steps.map(({ name }) => name)).toEqual([
    'Read the file',
    'Look for gaps',
    'Check columns and types'
  ]);
  expect(await cellsOf(page, notebook)).toContain('No gaps.');
});

test('steps are edited, then confirmed', async ({ page, side }) => {
  await side.run('steps');
  await side.answer('Edit');
  await side.card.getByLabel('Name of step 2').fill('Look for holes');
  await side.card
    .getByRole('button', { name: 'Remove «Check columns and types»' })
    .click();
  await side.answer('Confirm the edited plan');
  await side.until('workflow_completed');
  const { progress } = await serverView(page);
  expect(progress.stages[0]?.steps.map(({ name }) => name)).toEqual([
    'Read the file',
    'Look for holes'
  ]);
});

test('rejected steps stop the run with the ways to go on', async ({
  page,
  side
}) => {
  await side.run('steps');
  await side.reject('Too long');
  await side.until('error');
  const { progress } = await serverView(page);
  expect(progress.stages[0]?.steps.map(({ name }) => name)).toEqual([
    'Read the file',
    'Check the columns'
  ]);
  await expect(side.waysOn.getByRole('button')).toHaveText([
    'Debug with the planner',
    'Retry',
    'Restart',
    'Reset'
  ]);
  await side.goOn('Reset');
  await side.until('idle');
});

test('two tabs: one answers, the other says who decided what', async ({
  page,
  side
}) => {
  await side.run('steps');
  await side.until('step_update_pending');

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
  side
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
  const notebook = await side.run('steps');
  await side.answer('Reject');
  late = true;

  const other = await page.context().newPage();
  await other.goto(page.url().replace(/\/lab.*/, '/lab?reset'));
  await other.locator(`.lm-TabBar-tab[data-id="${SIDEBAR}"]`).click();
  await other.getByTestId('bcc-confirm').click();
  await expect(other.getByTestId('bcc-pending')).toBeHidden();

  await side.answer('Reject the proposal');
  await expect(
    side.panel.getByRole('alert').filter({ hasText: /already confirmed by \S/ })
  ).toBeVisible();
  await expect(side.card).toBeHidden();
  await expect
    .poll(async () => (await serverView(page, notebook)).status)
    .toBe('done');
  await other.close();
});

test('with the strictest policy every cell is asked about, with its code', async ({
  side
}) => {
  await side.run('short', { approval: 'code' });
  await expect(side.card).toContainText(
    'Write and run the next group of cells?',
    {
      timeout: 30_000
    }
  );
  await side.answer('Confirm');
  await expect(side.card).toContainText('Run this cell?');
  await expect(side.card.getByRole('region', { name: 'Code' })).toContainText(
    'rows = 6 * 7'
  );
  await side.press('Cancel the run');
  await expect(side.card).toBeHidden();
  await side.until('cancelled');
});
