import { expect } from '@jupyterlab/galata';

import {
  expectState,
  openSidebar,
  panel,
  SIDEBAR,
  startRun,
  test
} from '../sidebar';

test.use({ autoGoto: false });

test('who looks elsewhere is called: badge, status bar, title, toast, notification', async ({
  page,
  tmpPath,
  planners,
  baseURL
}) => {
  await page.context().grantPermissions(['notifications'], { origin: baseURL });
  // The real notification is made; what it says is kept, for headless browsers show none.
  await page.addInitScript(() => {
    const told: string[] = [];
    const Real = window.Notification;
    class Told extends Real {
      constructor(title: string, options?: NotificationOptions) {
        super(title, options);
        told.push(`${title}: ${options?.body ?? ''}`);
        Object.assign(window, { lastTold: this });
      }
    }
    Object.assign(window, { told, Notification: Told });
  });
  await page.goto();
  await openSidebar(page);
  await page.sidebar.close('right');
  // The browser's tab goes to the background.
  await page.evaluate(() => {
    Object.defineProperty(document, 'hidden', { get: () => true });
  });

  const notebook = `${tmpPath}/asks.ipynb`;
  const started = await page.request.post('/notebook-bcc/api/runs', {
    data: { notebook, planner: { kind: 'http', url: planners.steps } }
  });
  expect(started.ok()).toBe(true);

  const tab = page.locator(`.lm-TabBar-tab[data-id="${SIDEBAR}"]`);
  await expect(tab).toHaveClass(/bcc-mod-waiting/, { timeout: 30_000 });
  await expect(tab).toHaveAttribute('title', /1 decision waits for you/);
  await expect(page).toHaveTitle(/^● /);
  await expect(
    page.getByRole('button', { name: 'Notebook-BCC: Waiting for you' })
  ).toBeVisible();
  const told = await page.evaluate(
    () => (window as unknown as { told: string[] }).told
  );
  expect(told).toHaveLength(1);
  expect(told[0]).toContain('Waiting for you: The planner wants to change');
  expect(told[0]).toContain('asks.ipynb');

  // A click on the notification leads to the question.
  await page.evaluate(() => {
    (window as unknown as { lastTold: Notification }).lastTold.onclick?.(
      new Event('click')
    );
  });
  await expect(page.getByTestId('bcc-pending')).toBeVisible();
  await page.sidebar.close('right');
  // So does the toast.
  await page.getByRole('button', { name: 'Decide' }).click();
  await page.getByTestId('bcc-confirm').click();
  await expectState(page, 'workflow_completed');
  await expect(tab).not.toHaveClass(/bcc-mod-waiting/);
  await expect(page).toHaveTitle(/^[^●]/);
  await expect(page.getByRole('button', { name: 'Decide' })).toBeHidden();
});

test('a notification has to be allowed first, and is offered while one waits', async ({
  page,
  tmpPath,
  planners
}) => {
  await page.addInitScript(() => {
    // As a browser that has not been asked yet, and whose person then says yes.
    let permission: NotificationPermission = 'default';
    Object.defineProperty(window.Notification, 'permission', {
      get: () => permission
    });
    window.Notification.requestPermission = () => {
      permission = 'granted';
      return Promise.resolve(permission);
    };
  });
  await page.goto();
  await openSidebar(page);
  await startRun(page, {
    url: planners.slow,
    notebook: `${tmpPath}/allow.ipynb`
  });
  const offer = panel(page).getByRole('button', {
    name: 'Notify me when I am needed'
  });
  await offer.click();
  await expect(offer).toBeHidden();
  await expectState(page, 'action_running');
  await panel(page).getByRole('button', { name: 'Cancel the run' }).click();
  await expectState(page, 'cancelled');
});
