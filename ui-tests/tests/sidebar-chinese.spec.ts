import { expect, type IJupyterLabPageFixture } from '@jupyterlab/galata';

import { portray } from '../looks';
import { PICTURE } from '../pictures';
import {
  asNewcomer,
  CHINESE,
  expectState,
  openSidebar,
  panel,
  test,
  type Story
} from '../sidebar';

test.use({
  ...CHINESE,
  autoGoto: false
});

test.beforeEach(async ({ page }) => {
  await asNewcomer(page);
  await page.goto();
  await openSidebar(page);
});

async function start(
  page: IJupyterLabPageFixture,
  url: string,
  notebook: string
): Promise<void> {
  const form = page.getByRole('form', { name: '开始运行' });
  await form.getByRole('radio', { name: '规划服务' }).check();
  await form.getByLabel('服务地址').fill(url);
  await form.getByLabel('笔记本', { exact: true }).fill(notebook);
  await form.getByRole('button', { name: '开始' }).click();
}

test('the form', PICTURE, async ({ page }) => {
  const form = page.getByRole('form', { name: '开始运行' });
  await expect(form).toContainText('从数据文件到回答你问题的报告');
  await portray(page, 'start', 'zh');
});

const VIEWS: [string, Story, string][] = [
  ['running', 'slow', 'action_running'],
  ['pending', 'workflow', 'workflow_update_pending'],
  ['error', 'failing', 'error'],
  ['finished', 'short', 'workflow_completed']
];

for (const [view, story, state] of VIEWS) {
  test(view, PICTURE, async ({ page, tmpPath, planners }) => {
    await start(page, planners[story], `${tmpPath}/${view}.ipynb`);
    await expectState(page, state);
    if (view === 'pending') {
      await expect(page.getByTestId('bcc-pending')).toContainText('新增阶段');
    }
    await portray(page, view, 'zh');
    if (view === 'finished') {
      await panel(page)
        .getByRole('button', { name: /^规划器调用/ })
        .click();
      const calls = panel(page).getByRole('list', { name: '规划器调用' });
      await calls.getByRole('button').first().click();
      await panel(page).locator('.bcc-CallDetail').scrollIntoViewIfNeeded();
      await portray(page, 'inspector', 'zh');
    }
    const cancel = panel(page).getByRole('button', { name: '取消运行' });
    if (await cancel.isVisible()) {
      await cancel.click();
    }
  });
}
