import { expect } from '../fixtures';

import {
  command,
  inPage,
  makeNotebook,
  onDisk,
  openNotebook,
  sources,
  startRun as startOverRest,
  untilStatus
} from '../live';
import { code, hold, RUN, stream, streamed, text } from '../planner';
import {
  openForm,
  openSidebar,
  panel,
  serverView,
  startRun,
  test
} from '../sidebar';

const OUTER = '.jp-Notebook:visible .jp-WindowedPanel-outer';
const CELLS = '.jp-Notebook:visible .jp-Cell';
// JupyterLab puts cells into the page when it has nothing else to do.
const PATIENTLY = { timeout: 90_000 };

test('C9: a new notebook follows, and keeps no empty cell of JupyterLab', async ({
  page,
  tmpPath,
  started
}) => {
  const planner = await started.start([
    hold('open'),
    ...stream(40, 0.02),
    hold('scrolled'),
    ...stream(10, 0.02),
    hold('followed'),
    ...stream(10, 0.02)
  ]);
  const path = `${tmpPath}/new.ipynb`;
  await openSidebar(page);
  await startRun(page, { url: planner.url, notebook: path });
  await expect(page.getByRole('tab', { name: 'new.ipynb' })).toBeVisible();
  await expect(page.locator(CELLS)).toHaveCount(1);
  planner.release('open');
  const cells = page.locator(CELLS);
  await expect(cells).toHaveCount(40, PATIENTLY);
  await expect(cells.last()).toBeInViewport();
  expect(sources(await inPage(page))).toEqual(streamed(40));

  // It stops when the person scrolls, and can be taken up again.
  const follow = panel(page).getByRole('button', { name: 'Follow the run' });
  await expect(follow).toBeHidden();
  const box = await page.locator(OUTER).boundingBox();
  await page.mouse.move((box?.x ?? 0) + 200, (box?.y ?? 0) + 200);
  await page.mouse.wheel(0, -100_000);
  await expect(follow).toBeVisible();
  planner.release('scrolled');
  await expect(cells).toHaveCount(50, PATIENTLY);
  await expect(cells.first()).toBeInViewport();
  await follow.click();
  await expect(follow).toBeHidden();
  await expect(cells.last()).toBeInViewport();
  planner.release('followed');
  await expect(cells).toHaveCount(60, PATIENTLY);
  await expect(cells.last()).toBeInViewport();
  const run = await serverView(page, path);
  await untilStatus(page, run.id, 'done');
  expect(sources(await onDisk(page, path))).toEqual(
    sources(await inPage(page))
  );
});

test('C9: an empty notebook that is open keeps no empty cell either', async ({
  page,
  tmpPath,
  started
}) => {
  const path = `${tmpPath}/empty.ipynb`;
  await makeNotebook(page, path, []);
  await openNotebook(page, path);
  await expect(page.locator(CELLS)).toHaveCount(1);
  const planner = await started.start(stream(3, 0.02));
  const run = await startOverRest(page, path, planner);
  await untilStatus(page, run, 'done');
  await expect(page.locator(CELLS)).toHaveCount(3);
  expect(sources(await inPage(page))).toEqual(streamed(3));
});

test('C9: the sidebar shows the run of the notebook in front, and who else waits', async ({
  page,
  tmpPath,
  started,
  planners
}) => {
  const [first, second, none] = ['first', 'second', 'none'].map(
    name => `${tmpPath}/${name}.ipynb`
  ) as [string, string, string];
  for (const path of [first, second, none]) {
    await makeNotebook(page, path, ['own']);
  }
  const planner = await started.start([hold('end'), ...stream(1, 0.02)]);
  await openSidebar(page);
  await openNotebook(page, second);
  const other = await startOverRest(page, second, planner);
  const shown = panel(page).getByLabel('Run', { exact: true });
  await expect(shown).toContainText('second.ipynb');
  await startRun(page, { url: planners.steps, notebook: first });
  await expect(page.getByTestId('bcc-pending')).toBeVisible();
  const selected = shown.locator('option:checked');
  await expect(selected).toContainText('first.ipynb');

  await openNotebook(page, second);
  await expect(selected).toContainText('second.ipynb');
  await expect(page.getByTestId('bcc-pending')).toBeHidden();
  const others = page.getByTestId('bcc-others');
  await expect(others).toContainText('first.ipynb');

  await openNotebook(page, none);
  await expect(panel(page)).toContainText('There is no run in none.ipynb yet.');
  const form = page.getByRole('form', { name: 'Start a run' });
  await form.getByRole('textbox', { name: 'Goal' }).fill('half a goal');
  await openNotebook(page, second);
  await expect(form).toBeHidden();
  await openNotebook(page, none);
  await expect(form.getByRole('textbox', { name: 'Goal' })).toHaveValue(
    'half a goal'
  );

  await others.getByRole('button', { name: 'Show' }).click();
  await expect(page.getByTestId('bcc-pending')).toBeVisible();
  await expect(selected).toContainText('first.ipynb');
  await expect(
    page.getByRole('tab', { name: 'first.ipynb', selected: true })
  ).toBeVisible();
  await expect(others).toBeHidden();

  // Another run can still be looked at; it is said that it is another notebook's.
  await shown.selectOption(other);
  await expect(panel(page)).toContainText('in another notebook than the one');
  await panel(page).getByRole('button', { name: 'Open it' }).click();
  await expect(
    page.getByRole('tab', { name: 'second.ipynb', selected: true })
  ).toBeVisible();
  await command(page, other, 'cancel');
});

test('N4: a run writes into a new notebook named after the data', async ({
  page,
  tmpPath,
  started
}) => {
  await page.contents.uploadContent('a\n1\n', 'text', `${tmpPath}/sales.csv`);
  await makeNotebook(page, `${tmpPath}/mine.ipynb`, ['own = 1']);
  await makeNotebook(page, `${tmpPath}/sales-report.ipynb`, ['earlier']);
  await openSidebar(page);
  await openNotebook(page, `${tmpPath}/mine.ipynb`);
  const planner = await started.start(stream(2, 0.02));
  const form = await openForm(page);
  const data = form.getByLabel('Data file');
  await expect(data).toHaveValue(`${tmpPath}/sales.csv`);
  const name = form.getByLabel('Notebook', { exact: true });
  await expect(name).toHaveValue(`${tmpPath}/sales-report-2.ipynb`);
  await form.getByRole('radio', { name: 'Planner service' }).check();
  await form.getByLabel('Address of the service').fill(planner.url);
  await form.getByRole('button', { name: 'Start' }).click();
  await expect(
    page.getByRole('tab', { name: 'sales-report-2.ipynb' })
  ).toBeVisible();
  const path = `${tmpPath}/sales-report-2.ipynb`;
  await expect(page.locator(CELLS)).toHaveCount(2);
  const run = await serverView(page, path);
  expect(run.data).toBe('sales.csv');
  expect(sources(await onDisk(page, `${tmpPath}/mine.ipynb`))).toEqual([
    'own = 1'
  ]);

  // The open one, where the person chooses it; the form says what happens to it.
  await openNotebook(page, `${tmpPath}/mine.ipynb`);
  await form.getByRole('radio', { name: /mine\.ipynb/ }).check();
  await expect(form).toContainText('Cells are added to it');
  await form.getByRole('radio', { name: 'A new notebook' }).check();
  await name.fill(`${tmpPath}/mine`);
  await expect(form).toContainText('cells are added to it');
  await form.getByRole('radio', { name: /mine\.ipynb/ }).check();
  await form.getByRole('radio', { name: 'Planner service' }).check();
  await form.getByLabel('Address of the service').fill(planner.url);
  await form.getByRole('button', { name: 'Start' }).click();
  await expect(page.locator(CELLS)).toHaveCount(3);
  expect(sources(await inPage(page))).toEqual(['own = 1', ...streamed(2)]);
});

test('C11: one click shows or hides the code of the run, and the end is at the answer', async ({
  page,
  tmpPath,
  started
}) => {
  const path = `${tmpPath}/report.ipynb`;
  await makeNotebook(page, path, ['own = 1']);
  await openSidebar(page);
  await openNotebook(page, path);
  const planner = await started.start([
    text('# The answer'),
    code('n = 1\n'.repeat(40)),
    RUN,
    ...stream(20, 0.02),
    code('m = 2'),
    RUN
  ]);
  const run = await startOverRest(page, path, planner);
  await untilStatus(page, run, 'done');
  const answer = page.locator(CELLS).filter({ hasText: 'The answer' });
  await expect(answer).toBeInViewport();
  const room = await page.locator(OUTER).boundingBox();
  await expect
    .poll(async () => ((await answer.boundingBox())?.y ?? 0) - (room?.y ?? 0))
    .toBeLessThan(120);

  const inputs = page.locator(`${CELLS} .jp-Cell-inputArea`);
  const hidden = async (): Promise<(string | undefined)[]> => {
    const cells = await page.evaluate(() => {
      const { content } = window.jupyterapp.shell.currentWidget as unknown as {
        content: {
          widgets: {
            inputHidden: boolean;
            model: { sharedModel: { source: string } };
          }[];
        };
      };
      return content.widgets.map(({ inputHidden, model }) => ({
        inputHidden,
        source: model.sharedModel.source
      }));
    });
    return cells
      .filter(({ inputHidden }) => inputHidden)
      .map(({ source }) => source.split('\n')[0]);
  };
  expect(await hidden()).toEqual([]);
  const toolbar = page
    .locator('.jp-NotebookPanel-toolbar:visible')
    .getByRole('button', { name: /Show or hide the code/ });
  await toolbar.click();
  await expect.poll(hidden).toEqual(['n = 1', 'm = 2']);
  await expect(inputs.first()).toBeVisible();
  await panel(page)
    .getByRole('button', { name: 'Show or hide the code' })
    .click();
  await expect.poll(hidden).toEqual([]);
  await page.locator(OUTER).evaluate(node => {
    node.scrollTop = node.scrollHeight;
  });
  await expect(answer).not.toBeInViewport();
  await panel(page).getByRole('button', { name: 'Open the answer' }).click();
  await expect(answer).toBeInViewport();
});
