import { expect, test } from '../fixtures';
import { resolve } from 'node:path';

import { openNotebook } from '../live';
import { UI_TESTS } from '../server';

const EXAMPLES = resolve(UI_TESTS, '../examples');

test('the example notebook opens and runs', async ({ page, tmpPath }) => {
  for (const name of ['first-steps.ipynb', 'customers.csv']) {
    await page.contents.uploadFile(
      resolve(EXAMPLES, name),
      `${tmpPath}/${name}`
    );
  }
  await openNotebook(page, `${tmpPath}/first-steps.ipynb`);
  await page.notebook.run();
  await expect(page.locator('.jp-OutputArea-output table')).toBeVisible();
  await expect(page.locator('[data-mime-type*="error"]')).toHaveCount(0);

  await page.sidebar.close('left');
  await page.sidebar.openTab('notebook-bcc-sidebar');
  await page.sidebar.setWidth(360, 'right');
  await expect(page.getByTestId('bcc-connection')).toHaveAttribute(
    'data-connection',
    'connected'
  );
  await page.locator('.jp-Notebook .jp-WindowedPanel-outer').evaluate(node => {
    node.scrollTo({ top: 0 });
  });
  await page.mouse.move(0, 0);
  await page.screenshot({
    path: resolve(UI_TESTS, 'screenshots/example.png'),
    animations: 'disabled'
  });
});
