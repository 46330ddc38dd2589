import { expect, type IJupyterLabPageFixture } from '@jupyterlab/galata';

import {
  expectState,
  openSidebar,
  panel,
  portray,
  SIDEBAR,
  startRun,
  test
} from '../sidebar';

/** The run as the server sees it. */
async function serverView(page: IJupyterLabPageFixture): Promise<{
  id: string;
  state: string;
  status: string;
  pending: { id: string } | null;
  progress: { stages: { name: string; steps: { name: string }[] }[] };
}> {
  const answer = await page.request.get('/notebook-bcc/api/runs');
  const body = (await answer.json()) as { runs: never[] };
  return body.runs[0] as never;
}

async function cellsOf(
  page: IJupyterLabPageFixture,
  path: string
): Promise<string[]> {
  const answer = await page.request.get(`/api/contents/${path}`);
  const body = (await answer.json()) as {
    content: { cells: { source: string | string[] }[] };
  };
  return body.content.cells.map(({ source }) => [source].flat().join(''));
}

test('a change to the workflow is shown, and confirmed with the keyboard', async ({
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
  await page.keyboard.press('Control+Alt+W');
  await expect(card.getByRole('button', { name: 'Confirm' })).toBeFocused();
  await page.keyboard.press('Enter');
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
  expect(await cellsOf(page, notebook)).not.toContain('A baseline scores 0.8.');
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
  await card.getByRole('button', { name: 'Reject the proposal' }).click();
  await expectState(page, 'error');
  const ways = page.getByRole('list', { name: 'Ways to go on' });
  await expect(ways.getByRole('button')).toHaveText([
    'Debug',
    'Retry',
    'Restart',
    'Reset'
  ]);
  await ways.getByRole('button', { name: 'Reset' }).click();
  await expectState(page, 'idle');
});

test('who answers second is told who decided what', async ({
  page,
  tmpPath,
  planners
}) => {
  let deaf = false;
  await page.routeWebSocket(/notebook-bcc\/api\/live/, socket => {
    const server = socket.connectToServer();
    server.onMessage(message => {
      if (!deaf) {
        socket.send(message);
      }
    });
  });
  await page.reload();
  await openSidebar(page);
  await startRun(page, {
    url: planners.steps,
    notebook: `${tmpPath}/second.ipynb`
  });
  const card = page.getByTestId('bcc-pending');
  await card.getByRole('button', { name: 'Reject' }).click();

  // Somebody else decides, and this page is not told in time.
  deaf = true;
  const { id, pending } = await serverView(page);
  const other = await page.request.post(
    `/notebook-bcc/api/runs/${id}/commands`,
    { data: { command: 'confirm', proposal_id: pending?.id } }
  );
  expect(other.ok()).toBe(true);
  await card.getByRole('button', { name: 'Reject the proposal' }).click();
  await expect(
    panel(page).getByRole('alert').filter({ hasText: 'already confirmed by' })
  ).toBeVisible();
  await expect.poll(async () => (await serverView(page)).status).toBe('done');
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
