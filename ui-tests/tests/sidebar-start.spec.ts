import { expect, galata } from '@jupyterlab/galata';
import type { Locator } from '@playwright/test';
import { resolve } from 'node:path';

import { portray } from '../looks';
import { openNotebook } from '../live';
import { UI_TESTS } from '../server';
import { PICTURE } from '../pictures';
import {
  expectState,
  openForm,
  openSidebar,
  panel,
  serverView,
  startRun,
  test,
  toldPlanner
} from '../sidebar';

const EXAMPLES = resolve(UI_TESTS, '../examples');

test.describe('beside a notebook', () => {
  // The picture of the form shows this path. The page opens in it, so it has to be there.
  test.use({
    tmpPath: async ({ request }, use) => {
      const contents = galata.newContentsHelper(request);
      await contents.createDirectory('churn');
      await use('churn');
      await contents.deleteDirectory('churn');
    }
  });

  test(
    'the form suggests the only data file, and a notebook named after it',
    PICTURE,
    async ({ page, tmpPath }) => {
      for (const name of ['first-steps.ipynb', 'customers.csv']) {
        await page.contents.uploadFile(
          resolve(EXAMPLES, name),
          `${tmpPath}/${name}`
        );
      }
      await openNotebook(page, `${tmpPath}/first-steps.ipynb`);
      await page
        .locator('.jp-NotebookPanel-toolbar')
        .getByRole('button', { name: /New Notebook-BCC Run/ })
        .click();
      const form = page.getByRole('form', { name: 'Start a run' });
      await expect(form.getByLabel('Notebook', { exact: true })).toHaveValue(
        `${tmpPath}/customers-report.ipynb`
      );
      await expect(form.getByLabel('Data file')).toHaveValue(
        `${tmpPath}/customers.csv`
      );
      await expect(
        form.getByText('From a data file to a report')
      ).toBeVisible();
      await portray(page, 'start');
    }
  );
});

test('what is wrong is said at its field', async ({
  page,
  tmpPath,
  planners
}) => {
  await openSidebar(page);
  const form = await openForm(page);
  const notebook = form.getByLabel('Notebook', { exact: true });
  const data = form.getByLabel('Data file');
  const start = form.getByRole('button', { name: 'Start' });

  await notebook.fill(`${tmpPath}/wrong.ipynb`);
  await data.fill('');
  await start.click();
  await expect(data).toHaveAccessibleDescription(/This playbook needs it/);
  await data.fill(`${tmpPath}/gone.csv`);
  await start.click();
  await expect(data).toHaveAccessibleDescription(
    new RegExp(`There is no such file: ${tmpPath}/gone.csv`)
  );
  await expect(data).toHaveAttribute('aria-invalid', 'true');
  await data.fill('');

  await form.getByRole('radio', { name: 'Planner service' }).check();
  const address = form.getByLabel('Address of the service');
  await start.click();
  await expect(address).toHaveAccessibleDescription(/Give the address/);
  await address.fill('ftp://somewhere');
  await start.click();
  await expect(address).toHaveAccessibleDescription(/begins with http/);
  await expect(address).toHaveAttribute('aria-invalid', 'true');
  await address.fill(planners.slow);

  await notebook.fill('');
  await start.click();
  await expect(notebook).toHaveAccessibleDescription(/Name the notebook/);
  await notebook.fill(`${tmpPath}/wrong.ipynb`);

  await form.getByRole('button', { name: 'Variables' }).click();
  await form.getByRole('button', { name: 'Add a variable' }).click();
  await form.getByLabel('Value of variable 1').fill('3');
  await start.click();
  await expect(form.getByRole('alert')).toHaveText(
    'Every variable needs a name.'
  );
  await form.getByRole('button', { name: 'Remove variable 1' }).click();

  // A notebook takes one run at a time.
  await start.click();
  await expectState(page, 'action_running');
  await openForm(page);
  await form.getByRole('radio', { name: 'Planner service' }).check();
  await address.fill(planners.slow);
  await notebook.fill(`${tmpPath}/wrong.ipynb`);
  await start.click();
  await expect(notebook).toHaveAccessibleDescription(/still active/);
  await form.getByRole('button', { name: 'Back to the run' }).click();
  await panel(page).getByRole('button', { name: 'Cancel the run' }).click();
  await expectState(page, 'cancelled');
});

test('data is picked from the files, variables reach the planner', async ({
  page,
  tmpPath,
  planners
}) => {
  await page.contents.uploadContent(
    'a,b\n1,2\n',
    'text',
    `${tmpPath}/data/one.csv`
  );
  await page.contents.uploadContent('a\n1\n', 'text', `${tmpPath}/two.csv`);
  await openSidebar(page);
  const form = await openForm(page);
  const notebook = `${tmpPath}/picked.ipynb`;
  await form.getByLabel('Notebook', { exact: true }).fill(notebook);
  await form.getByRole('button', { name: 'Browse…' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog).toContainText('Choose the data file');
  await dialog.getByRole('listitem', { name: 'Name: data' }).dblclick();
  await dialog.getByRole('listitem', { name: 'Name: one.csv' }).click();
  await dialog.getByRole('button', { name: 'Select' }).click();
  await expect(form.getByLabel('Data file')).toHaveValue(
    `${tmpPath}/data/one.csv`
  );

  await form.getByRole('radio', { name: 'Planner service' }).check();
  await form.getByLabel('Address of the service').fill(planners.short);
  await form.getByRole('textbox', { name: 'Goal' }).fill('Count the rows');
  await form.getByRole('button', { name: 'Variables' }).click();
  await form.getByRole('button', { name: 'Add a variable' }).click();
  await form.getByLabel('Name of variable 1').fill('depth_limit');
  await form.getByLabel('Value of variable 1').fill('7');
  await form.getByRole('button', { name: 'Start' }).click();
  await expectState(page, 'workflow_completed');
  await expect(panel(page)).toContainText('Count the rows');
  const run = await serverView(page, notebook);
  expect(run.data).toBe('data/one.csv');
  const told = await toldPlanner(page, run);
  expect(told).toContain('"depth_limit":7');
  expect(told).toContain('Count the rows');
});

test('a planner service can be checked before the start', async ({
  page,
  planners
}) => {
  await openSidebar(page);
  const form = await openForm(page);
  await form.getByRole('radio', { name: 'Planner service' }).check();
  const check = form.getByRole('button', { name: 'Check' });
  await expect(check).toBeDisabled();
  await form.getByLabel('Address of the service').fill('http://127.0.0.1:1');
  await check.click();
  await expect(form.getByText('No connection: nothing answers')).toBeVisible();
  await form.getByLabel('Address of the service').fill(planners.short);
  await check.click();
  await expect(form.getByText('Connection works')).toBeVisible();
});

test('the keyboard is enough to start a run', async ({
  page,
  tmpPath,
  planners
}) => {
  const form = page.getByRole('form', { name: 'Start a run' });
  // While JupyterLab starts, its launcher takes the keyboard.
  await expect(async () => {
    await page.keyboard.press('Control+Alt+G');
    const goal = form.getByRole('textbox', { name: 'Goal' });
    await expect(goal).toBeFocused({ timeout: 2000 });
  }).toPass();
  await page.keyboard.type('By hand');
  const type = async (text: string): Promise<void> => {
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.type(text);
  };
  const reach = async (what: Locator): Promise<void> => {
    const passed: string[] = [];
    // Enough to come round again, should JupyterLab take the keyboard once more.
    for (let presses = 0; presses < 60; presses += 1) {
      await page.keyboard.press('Tab');
      if (await what.evaluate(node => node === document.activeElement)) {
        return;
      }
      passed.push(
        await page.evaluate(() => document.activeElement?.outerHTML ?? '')
      );
    }
    throw new Error(`not reached with the Tab key, but:\n${passed.join('\n')}`);
  };
  await reach(form.getByLabel('Notebook', { exact: true }));
  await type(`${tmpPath}/keyboard.ipynb`);
  await reach(form.getByRole('radio', { name: 'Playbook' }));
  await page.keyboard.press('ArrowRight');
  await reach(form.getByLabel('Address of the service'));
  await type(planners.short);
  await page.keyboard.press('Enter');
  await expectState(page, 'workflow_completed');
});

test(
  'a run goes from the form to its end',
  PICTURE,
  async ({ page, tmpPath, planners }) => {
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
  }
);
