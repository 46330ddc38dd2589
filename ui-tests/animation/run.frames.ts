import { expect } from '@jupyterlab/galata';
import { mkdirSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';

import { UI_TESTS } from '../server';
import { asNewcomer, panel, SIDEBAR, test } from '../sidebar';

const FRAMES = resolve(UI_TESTS, 'screenshots/frames');
const EXAMPLES = resolve(UI_TESTS, '../examples');
const FOLDER = 'churn';

test.use({ autoGoto: false, viewport: { width: 1100, height: 680 } });

/** A run as a person sees it: the name of a frame says for how many milliseconds it is shown. */
test('a run, frame by frame', async ({ page }) => {
  rmSync(FRAMES, { recursive: true, force: true });
  mkdirSync(FRAMES, { recursive: true });
  let count = 0;
  const frame = async (ms: number): Promise<void> => {
    count += 1;
    const name = `${String(count).padStart(3, '0')}-${String(ms)}.png`;
    await page.screenshot({
      path: resolve(FRAMES, name),
      animations: 'disabled'
    });
  };
  for (const name of ['first-steps.ipynb', 'customers.csv']) {
    await page.contents.uploadFile(
      resolve(EXAMPLES, name),
      `${FOLDER}/${name}`
    );
  }
  await asNewcomer(page);
  await page.goto(`tree/${FOLDER}/first-steps.ipynb`);
  await page.locator('.jp-Notebook .jp-Cell').first().waitFor();
  await page.sidebar.close('left');
  await page.locator(`.lm-TabBar-tab[data-id="${SIDEBAR}"]`).click();
  await page.sidebar.setWidth(370, 'right');
  const form = page.getByRole('form', { name: 'Start a run' });
  await form
    .getByRole('textbox', { name: 'Goal' })
    .fill('Why do customers leave?');
  await form
    .getByLabel('Notebook', { exact: true })
    .fill(`${FOLDER}/report.ipynb`);
  await expect(form.getByLabel('Data file')).toHaveValue('customers.csv');
  await frame(1800);
  await form.getByRole('button', { name: 'Start' }).click();
  await expect(page.getByRole('tab', { name: 'report.ipynb' })).toBeVisible();

  const confirm = page.getByTestId('bcc-confirm');
  const finished = panel(page).getByText('Workflow finished');
  while (!(await finished.isVisible())) {
    if (await confirm.isVisible()) {
      await frame(2600);
      await confirm.click();
      await expect(confirm).toBeHidden();
    }
    await frame(420);
    await page.waitForTimeout(900);
  }
  await frame(3200);
});
