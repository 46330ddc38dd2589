import { expect } from '@jupyterlab/galata';
import { resolve } from 'node:path';

import { UI_TESTS } from '../server';
import { asNewcomer, expectState, panel, SIDEBAR, test } from '../sidebar';

const EXAMPLES = resolve(UI_TESTS, '../examples');

test.use({ autoGoto: false });

/** What `make lab` opens, and then only what the screen itself suggests. */
test('from the example to a finished report in at most five clicks', async ({
  page,
  tmpPath
}) => {
  test.setTimeout(400_000);
  for (const name of ['first-steps.ipynb', 'customers.csv']) {
    await page.contents.uploadFile(
      resolve(EXAMPLES, name),
      `${tmpPath}/${name}`
    );
  }
  await asNewcomer(page);
  await page.goto(`tree/${tmpPath}/first-steps.ipynb`);
  let clicks = 0;

  await page.locator(`.lm-TabBar-tab[data-id="${SIDEBAR}"]`).click();
  clicks += 1;
  const start = panel(page).getByRole('button', { name: 'Start' });
  await expect(panel(page).getByLabel('Data file')).toHaveValue(
    `${tmpPath}/customers.csv`
  );
  await start.click();
  clicks += 1;

  const confirm = panel(page).getByRole('button', { name: 'Confirm' });
  const finished = panel(page).getByText('Workflow finished');
  for (;;) {
    await expect(confirm.or(finished).first()).toBeVisible({
      timeout: 300_000
    });
    if (await finished.isVisible()) {
      break;
    }
    await confirm.click();
    clicks += 1;
    await expect(confirm).toBeHidden();
  }
  await expectState(page, 'workflow_completed');
  expect(clicks).toBeLessThanOrEqual(5);
  const answer = await page.request.get(
    `/api/contents/${tmpPath}/customers-report.ipynb`
  );
  const { content } = (await answer.json()) as {
    content: { cells: { outputs?: { output_type: string }[] }[] };
  };
  expect(content.cells.length).toBeGreaterThan(30);
  const outputs = content.cells.flatMap(cell => cell.outputs ?? []);
  expect(outputs.length).toBeGreaterThan(10);
  expect(outputs.filter(one => one.output_type === 'error')).toEqual([]);
});
