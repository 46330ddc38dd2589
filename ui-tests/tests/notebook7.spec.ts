import { expect, plainTest as test } from '../fixtures';

import { inPage, makeNotebook, onDisk, sources, untilStarted } from '../live';
import { hold, stream, streamed } from '../planner';
import { SIDEBAR } from '../sidebar';

test('D3: in Notebook 7 the open page stays, and the cells appear in it', async ({
  page,
  started
}) => {
  const path = `seven-${String(Date.now())}.ipynb`;
  await makeNotebook(page, path, ['own = 1']);
  const planner = await started.start([
    ...stream(3, 0.02),
    hold('seen'),
    ...stream(2, 0.02)
  ]);
  await page.goto(`/notebooks/${path}`);
  await untilStarted(page);
  await expect(page.locator('.jp-Notebook .jp-Cell')).toHaveCount(1);
  await page.evaluate(async () => {
    await window.jupyterapp.commands.execute('notebook-bcc:start');
  });
  const form = page.getByRole('form', { name: 'Start a run' });
  await form.getByRole('radio', { name: 'Planner service' }).check();
  await form.getByLabel('Address of the service').fill(planner.url);
  await form.getByRole('button', { name: 'Start' }).click();

  await expect(page.locator('.jp-Notebook .jp-Cell')).toHaveCount(4);
  expect(page.context().pages()).toHaveLength(1);
  const shown = sources(await inPage(page));
  expect(shown).toEqual(['own = 1', ...streamed(3)]);
  // From the plan to the cells: the same page again.
  await page.locator(`#${SIDEBAR}`).getByRole('treeitem').first().click();
  planner.release('seen');
  await expect(page.locator('.jp-Notebook .jp-Cell')).toHaveCount(6);
  expect(page.context().pages()).toHaveLength(1);
  await page.screenshot({ path: test.info().outputPath('notebook7.png') });
  expect(sources(await onDisk(page, path))).toEqual(
    sources(await inPage(page))
  );
});
