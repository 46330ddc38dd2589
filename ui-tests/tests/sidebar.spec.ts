import { accessFindings, cutOff } from '../looks';
import { expect, test } from '../fixtures';

import { PICTURE, pictureOf } from '../pictures';
import { asNewcomer, CHINESE, openSidebar, panel } from '../sidebar';

test.use({ autoGoto: false });

test.describe('a newcomer', () => {
  test.beforeEach(async ({ page }) => {
    await asNewcomer(page);
    await page.goto();
  });

  test('reads what this is, and finds the form', PICTURE, async ({ page }) => {
    await openSidebar(page);
    await expect(page.getByTestId('bcc-state')).toHaveAttribute(
      'data-state',
      'idle'
    );
    await expect(page.getByTestId('bcc-connection')).toHaveText('Connected');
    await expect(
      page.getByText('From a goal to a finished notebook')
    ).toBeVisible();
    await expect(page.getByRole('form', { name: 'Start a run' })).toBeVisible();
    await page.sidebar.setWidth(380, 'right');
    await page.screenshot({
      path: pictureOf('sidebar.png'),
      animations: 'disabled'
    });
  });

  test('finds the panel in menu, palette and launcher', async ({ page }) => {
    const region = page.getByRole('region', { name: 'Notebook-BCC' });
    await expect(region).toBeHidden();
    await page.menu.clickMenuItem('View>Open Notebook-BCC');
    await expect(region).toBeVisible();

    await page.sidebar.close('right');
    await expect(region).toBeHidden();
    await page.keyboard.press('Control+Shift+C');
    await page.locator('.lm-CommandPalette-input').fill('Open Notebook-BCC');
    await page.keyboard.press('Enter');
    await expect(region).toBeVisible();

    await page.sidebar.close('right');
    await page
      .locator('.jp-LauncherCard', { hasText: 'New Notebook-BCC Run' })
      .click();
    await expect(page.getByRole('form', { name: 'Start a run' })).toBeVisible();

    await page.sidebar.close('right');
    await page.menu.clickMenuItem('Run>New Notebook-BCC Run');
    await expect(page.getByRole('form', { name: 'Start a run' })).toBeVisible();

    await page.sidebar.close('right');
    await page.keyboard.press('Control+Alt+B');
    await expect(region).toBeVisible();
  });

  test('can have it as narrow as 250 px, and in high contrast', async ({
    page
  }) => {
    await openSidebar(page);
    await page.sidebar.setWidth(250, 'right');
    expect(await cutOff(page)).toEqual([]);
    await page.theme.setTheme('JupyterLab Dark High Contrast');
    expect(await accessFindings(page)).toEqual([]);
    await page.theme.setLightTheme();
  });
});

test.describe('connection', () => {
  test('comes back after the server closed it', async ({ page }) => {
    let refuse = false;
    let drop = (): Promise<void> => Promise.resolve();
    await page.routeWebSocket(/notebook-bcc\/api\/live/, socket => {
      if (refuse) {
        void socket.close();
        return;
      }
      socket.connectToServer();
      drop = () => socket.close({ code: 1012 });
    });
    await page.goto();
    await openSidebar(page);
    const state = await page
      .getByTestId('bcc-state')
      .getAttribute('data-state');

    refuse = true;
    await drop();
    await expect(page.getByTestId('bcc-connection')).toHaveText(
      'Reconnecting…'
    );
    await expect(page.getByTestId('bcc-state')).toHaveAttribute(
      'data-state',
      state ?? ''
    );

    refuse = false;
    await expect(page.getByTestId('bcc-connection')).toHaveText('Connected', {
      timeout: 20_000
    });
  });

  test('comes back after the machine was offline', async ({ page }) => {
    await page.goto();
    await openSidebar(page);
    await page.context().setOffline(true);
    await expect(page.getByTestId('bcc-connection')).toHaveText(
      'Reconnecting…'
    );
    await page.context().setOffline(false);
    await expect(page.getByTestId('bcc-connection')).toHaveText('Connected');
  });
});

test.describe('Simplified Chinese', () => {
  test.use({
    ...CHINESE,
    // By default the page is ready when a tab with the English title «Launcher» is there.
    waitForApplication: async ({}, use) => {
      await use(async page => {
        await page.locator('.jp-Launcher').waitFor();
      });
    }
  });

  test('the panel and its settings speak the language', async ({ page }) => {
    await asNewcomer(page);
    await page.goto();
    await openSidebar(page);
    await expect(panel(page)).toContainText('就绪，当前没有运行');
    await expect(page.getByTestId('bcc-connection')).toHaveText('已连接');
    await panel(page).getByRole('button', { name: '更改设置' }).click();
    await expect(page.getByText('规划器地址')).toBeVisible();
  });
});
