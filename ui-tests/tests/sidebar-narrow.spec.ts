import {
  expect,
  galata,
  type IJupyterLabPageFixture
} from '@jupyterlab/galata';

import { openNotebook, untilStatus } from '../live';
import {
  CHINESE,
  expectState,
  openSidebar,
  panel,
  test,
  type Language
} from '../sidebar';

interface IWords {
  language: Language;
  edit: string;
  confirm: string;
  reject: string;
  back: string;
}

const WORDS: IWords[] = [
  {
    language: 'en',
    edit: 'Edit',
    confirm: 'Confirm the edited plan',
    reject: 'Reject',
    back: 'Back'
  },
  {
    language: 'zh',
    edit: '编辑',
    confirm: '确认修改后的计划',
    reject: '拒绝',
    back: '返回'
  }
];

/** The parts of the question that stick out of the sidebar, or whose content sticks out of them. */
async function sticksOut(page: IJupyterLabPageFixture): Promise<string[]> {
  const edge = await panel(page).evaluate(
    node => node.getBoundingClientRect().right
  );
  return page
    .locator('[data-testid="bcc-pending"], [data-testid="bcc-pending"] *')
    .evaluateAll((nodes: HTMLElement[], right) => {
      const shown = nodes.filter(node => {
        const style = getComputedStyle(node);
        return style.display !== 'none' && style.clipPath === 'none';
      });
      const wide = (node: HTMLElement): boolean =>
        node.getBoundingClientRect().right > right + 1 ||
        (getComputedStyle(node).display !== 'inline' &&
          !node.matches('input, select, textarea, pre, svg, svg *') &&
          node.scrollWidth > node.clientWidth + 1);
      return shown
        .filter(wide)
        .map(node => `${node.tagName} ${node.className}: ${node.innerText}`);
    }, edge);
}

for (const words of WORDS) {
  test.describe(words.language, () => {
    test.use(
      words.language === 'zh'
        ? CHINESE
        : { mockSettings: galata.DEFAULT_SETTINGS }
    );

    test(`C10: the question fits a narrow sidebar (${words.language})`, async ({
      page,
      tmpPath,
      planners
    }) => {
      await openSidebar(page);
      const started = await page.request.post('/notebook-bcc/api/runs', {
        data: {
          notebook: `${tmpPath}/narrow.ipynb`,
          planner: { kind: 'http', url: planners.workflow }
        }
      });
      expect(started.status(), await started.text()).toBe(201);
      const { id } = (await started.json()) as { id: string };
      await untilStatus(page, id, 'waiting');
      await openNotebook(page, `${tmpPath}/narrow.ipynb`);
      await expectState(page, 'workflow_update_pending');
      const card = page.getByTestId('bcc-pending');
      const fits = async (view: string): Promise<void> => {
        for (const width of [250, 300]) {
          await page.sidebar.setWidth(width, 'right');
          expect(
            await sticksOut(page),
            `${view} at ${String(width)} px`
          ).toEqual([]);
        }
      };
      const press = (name: string): Promise<void> =>
        card.getByRole('button', { name, exact: true }).click();

      await fits('the question');
      await press(words.reject);
      await fits('the reason');
      await press(words.back);
      await press(words.edit);
      await expect(
        card.getByRole('button', { name: words.confirm })
      ).toBeVisible();
      await fits('the edited plan');
    });
  });
}
