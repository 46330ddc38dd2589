import { expect } from '@jupyterlab/galata';
import { resolve } from 'node:path';

import { UI_TESTS } from '../server';
import {
  expectState,
  openSidebar,
  panel,
  portray,
  startRun,
  test
} from '../sidebar';

const EXAMPLES = resolve(UI_TESTS, '../examples');

test('the form suggests the notebook and the only data file', async ({
  page,
  tmpPath
}) => {
  for (const name of ['first-steps.ipynb', 'customers.csv']) {
    await page.contents.uploadFile(
      resolve(EXAMPLES, name),
      `${tmpPath}/${name}`
    );
  }
  await page.notebook.openByPath(`${tmpPath}/first-steps.ipynb`);
  // The toolbar's button starts with the notebook it belongs to.
  await page
    .locator('.jp-NotebookPanel-toolbar')
    .getByRole('button', { name: /Plan an analysis/ })
    .click();
  const form = page.getByRole('form', { name: 'Start a run' });
  await expect(form.getByLabel('Notebook', { exact: true })).toHaveValue(
    `${tmpPath}/first-steps.ipynb`
  );
  await expect(form.getByLabel('Data file')).toHaveValue('customers.csv');
  await expect(form.getByText('From a CSV file to a report')).toBeVisible();
  await portray(page, 'start');
});

test('what is wrong is said at its field', async ({ page, tmpPath }) => {
  await openSidebar(page);
  const form = page.getByRole('form', { name: 'Start a run' });
  if (!(await form.isVisible())) {
    await panel(page).getByRole('button', { name: 'New run' }).click();
  }
  const data = form.getByLabel('Data file');
  const start = form.getByRole('button', { name: 'Start' });

  await data.fill('');
  await start.click();
  await expect(data).toHaveAccessibleDescription(/This playbook needs it/);

  await form.getByRole('radio', { name: 'Planner service' }).check();
  const address = form.getByLabel('Address of the service');
  await address.fill('ftp://somewhere');
  await form
    .getByLabel('Notebook', { exact: true })
    .fill(`${tmpPath}/wrong.ipynb`);
  await start.click();
  await expect(address).toHaveAccessibleDescription(/dslc_base_url/);
  await expect(address).toHaveAttribute('aria-invalid', 'true');
});

test('a planner service can be checked before the start', async ({
  page,
  planners
}) => {
  await openSidebar(page);
  const newRun = panel(page).getByRole('button', { name: 'New run' });
  const form = page.getByRole('form', { name: 'Start a run' });
  await expect(newRun.or(form)).toBeVisible();
  if (await newRun.isVisible()) {
    await newRun.click();
  }
  await form.getByRole('radio', { name: 'Planner service' }).check();
  const check = form.getByRole('button', { name: 'Check' });
  await expect(check).toBeDisabled();
  await form.getByLabel('Address of the service').fill('http://127.0.0.1:1');
  await check.click();
  await expect(form.getByText('No connection:')).toBeVisible();
  await form.getByLabel('Address of the service').fill(planners.short);
  await check.click();
  await expect(form.getByText('Connection works:')).toBeVisible();
});

test('a run goes from the form to its end', async ({
  page,
  tmpPath,
  planners
}) => {
  await openSidebar(page);
  const notebook = `${tmpPath}/short.ipynb`;
  await startRun(page, { url: planners.short, notebook });
  await expectState(page, 'workflow_completed');
  await expect(panel(page).getByText('All 3 steps')).toBeVisible();
  await expect(
    panel(page).getByRole('progressbar', { name: 'Progress of the workflow' })
  ).toHaveAttribute('aria-valuenow', '100');
  await expect(page.getByRole('tab', { name: 'short.ipynb' })).toBeVisible();
  await portray(page, 'finished');
});
