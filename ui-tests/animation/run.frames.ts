import { expect } from '@jupyterlab/galata';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';

import { UI_TESTS } from '../server';
import { asNewcomer, newSession, panel, SIDEBAR, test } from '../sidebar';

const FRAMES = resolve(UI_TESTS, 'screenshots/frames');
const EXAMPLES = resolve(UI_TESTS, '../examples');
const FOLDER = 'churn';

test.use({ autoGoto: false, viewport: { width: 1100, height: 680 } });

/** A run as a person sees it, as the browser draws it; `frames.json` says when each was drawn. */
test('a run, frame by frame', async ({ page }) => {
  rmSync(FRAMES, { recursive: true, force: true });
  mkdirSync(FRAMES, { recursive: true });
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
  await expect(form.getByLabel('Data file')).toHaveValue(
    `${FOLDER}/customers.csv`
  );

  const session = await newSession(page);
  const frames: { file: string; at: number; hold: number }[] = [];
  session.on('Page.screencastFrame', ({ data, sessionId, metadata }) => {
    const file = `${String(frames.length).padStart(4, '0')}.jpg`;
    writeFileSync(resolve(FRAMES, file), Buffer.from(data, 'base64'));
    frames.push({ file, at: metadata.timestamp ?? 0, hold: 0 });
    void session.send('Page.screencastFrameAck', { sessionId });
  });
  await session.send('Page.startScreencast', { format: 'jpeg', quality: 92 });
  /** What is to be read stays for a while. */
  const hold = async (seconds: number): Promise<void> => {
    await expect.poll(() => frames.length).toBeGreaterThan(0);
    await page.waitForTimeout(500);
    const last = frames.at(-1);
    if (last) {
      last.hold = seconds;
    }
  };

  await hold(2);
  await form.getByRole('button', { name: 'Start' }).click();
  const confirm = page.getByTestId('bcc-confirm');
  await confirm.waitFor({ timeout: 180_000 });
  await confirm.hover();
  await hold(3);
  await confirm.click();
  await panel(page)
    .getByText('Workflow finished')
    .waitFor({ timeout: 180_000 });
  await hold(4);
  await session.send('Page.stopScreencast');
  writeFileSync(resolve(FRAMES, 'frames.json'), JSON.stringify(frames));
});
