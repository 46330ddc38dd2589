import { expect, galata, type IJupyterLabPageFixture, test } from '@jupyterlab/galata';
import { resolve } from 'node:path';

import { UI_TESTS } from '../server';

const SIDEBAR = 'notebook-bcc-sidebar';

async function openSidebar(page: IJupyterLabPageFixture): Promise<void> {
  await page.sidebar.openTab(SIDEBAR);
  await expect(page.getByTestId('bcc-connection')).toHaveAttribute(
    'data-connection',
    'connected'
  );
}

async function takePicture(
  page: IJupyterLabPageFixture,
  name: string
): Promise<void> {
  await page.mouse.move(0, 0);
  await page.screenshot({
    path: resolve(UI_TESTS, 'screenshots', `${name}.png`),
    animations: 'disabled'
  });
}

/** The parts of the panel whose content is wider than they are. */
async function cutOff(page: IJupyterLabPageFixture): Promise<string[]> {
  return page
    .locator(`#${SIDEBAR} [class^='bcc-']`)
    .evaluateAll((nodes: HTMLElement[]) =>
      nodes
        .filter(node => node.scrollWidth > node.clientWidth + 1)
        .filter(node => getComputedStyle(node).display !== 'inline')
        .map(node => node.getAttribute('class') ?? '')
    );
}

test('the panel reads the state from the server', async ({ page }) => {
  await openSidebar(page);
  await expect(page.getByTestId('bcc-state')).toHaveText('idle');
  await expect(page.getByTestId('bcc-connection')).toHaveText('Connected');
  await expect(
    page.getByText('From a goal to a finished notebook')
  ).toBeVisible();
});

test('the View menu and the palette open the panel', async ({ page }) => {
  const panel = page.getByRole('region', { name: 'Notebook-BCC' });
  await expect(panel).toBeHidden();
  await page.menu.clickMenuItem('View>Open Notebook-BCC');
  await expect(panel).toBeVisible();

  await page.sidebar.close('right');
  await expect(panel).toBeHidden();
  await page.keyboard.press('Control+Shift+C');
  await page
    .locator('.lm-CommandPalette-input')
    .fill('Open Notebook-BCC');
  await page.keyboard.press('Enter');
  await expect(panel).toBeVisible();
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
    await page.reload();
    await openSidebar(page);

    refuse = true;
    await drop();
    await expect(page.getByTestId('bcc-connection')).toHaveText(
      'Reconnecting…'
    );
    await expect(page.getByTestId('bcc-state')).toHaveText('idle');

    refuse = false;
    await expect(page.getByTestId('bcc-connection')).toHaveText('Connected', {
      timeout: 20_000
    });
  });

  test('comes back after the machine was offline', async ({ page }) => {
    await openSidebar(page);
    await page.context().setOffline(true);
    await expect(page.getByTestId('bcc-connection')).toHaveText(
      'Reconnecting…'
    );
    await page.context().setOffline(false);
    await expect(page.getByTestId('bcc-connection')).toHaveText('Connected');
  });
});

test('fits a wide and a narrow panel, light and dark', async ({ page }) => {
  await openSidebar(page);
  await page.sidebar.setWidth(380, 'right');
  await takePicture(page, 'light');

  for (const width of [300, 250]) {
    await page.sidebar.setWidth(width, 'right');
    await takePicture(page, `narrow-${String(width)}`);
    expect(await cutOff(page), `at ${String(width)} px`).toEqual([]);
  }

  await page.sidebar.setWidth(380, 'right');
  await page.theme.setDarkTheme();
  await takePicture(page, 'dark');
});

test.describe('Simplified Chinese', () => {
  test.use({
    mockSettings: {
      ...galata.DEFAULT_SETTINGS,
      '@jupyterlab/translation-extension:plugin': { locale: 'zh_CN' }
    },
    // By default the page is ready when a tab with the English title «Launcher» is there.
    waitForApplication: async ({}, use) => {
      await use(async page => {
        await page.locator('.jp-Launcher').waitFor();
      });
    }
  });

  test('the panel and its settings speak the language', async ({ page }) => {
    await openSidebar(page);
    await page.sidebar.setWidth(380, 'right');
    const panel = page.locator(`#${SIDEBAR}`);
    await expect(panel).toContainText('就绪，当前没有运行');
    await expect(page.getByTestId('bcc-connection')).toHaveText('已连接');
    await expect(page.getByTestId('bcc-state')).toHaveText('idle');
    await takePicture(page, 'zh-CN');

    await panel.getByRole('button', { name: '更改设置' }).click();
    await expect(page.getByText('规划器地址')).toBeVisible();
    await takePicture(page, 'zh-CN-settings');
  });
});
