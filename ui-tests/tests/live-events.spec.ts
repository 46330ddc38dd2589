import { expect, test } from '../fixtures';

import {
  changeCell,
  command,
  expectNoDialog,
  expectSameOnDisk,
  inPage,
  onDisk,
  openNotebook,
  save,
  sources,
  startRun,
  untilStatus,
  viewOf,
  type LivePage
} from '../live';
import { code, hold, Planner, RUN, stream, streamed, text } from '../planner';

type Kernel = 'restart' | 'change';

/** What the kernel menu does, without its question. */
async function kernel(page: LivePage, what: Kernel): Promise<void> {
  await page.evaluate(async order => {
    const panel = window.jupyterapp.shell.currentWidget as unknown as {
      sessionContext: {
        restartKernel(): Promise<void>;
        changeKernel(options: { name: string }): Promise<unknown>;
      };
    };
    if (order === 'restart') {
      await panel.sessionContext.restartKernel();
    } else {
      await panel.sessionContext.changeKernel({ name: 'python3' });
    }
  }, what);
}

/** Have the page remember what it says over its sockets. */
async function listenToPage(page: LivePage): Promise<() => Promise<string>> {
  await page.evaluate(() => {
    const said: string[] = [];
    (window as unknown as { said: string[] }).said = said;
    // eslint-disable-next-line @typescript-eslint/unbound-method -- the proxy binds it
    WebSocket.prototype.send = new Proxy(WebSocket.prototype.send, {
      apply: (send, socket, [data]: [string]) => {
        said.push(data);
        Reflect.apply(send, socket, [data]);
      }
    });
  });
  return async () =>
    await page.evaluate(() =>
      (window as unknown as { said: string[] }).said.join('\n')
    );
}

async function answer(
  page: LivePage,
  run: string,
  verdict: 'confirm' | 'reject'
): Promise<void> {
  const view = await viewOf(page, run);
  const response = await page.request.post(
    `/notebook-bcc/api/runs/${run}/commands`,
    { data: { command: verdict, proposal_id: view.pending?.id } }
  );
  expect(response.ok(), await response.text()).toBe(true);
}

test.describe('the kernel during a run', () => {
  test('restarted under a running cell: the run stops, says so, and a retry begins the behavior anew', async ({
    page,
    live
  }) => {
    await live.open();
    const slow =
      'import os, time\nif not os.path.exists("go"): time.sleep(600)\nprint(x + 1)';
    await live.run([code('x = 41'), RUN, code(slow), RUN]);
    const running = live.cells.nth(2);
    await expect(running.locator('.jp-InputPrompt')).toHaveText('[*]:');
    await page.request.put(`/api/contents/${live.folder}/go`, {
      data: { type: 'file', format: 'text', content: '' }
    });
    await kernel(page, 'restart');
    const stopped = await live.until('failed', 'paused');
    expect(stopped.error?.message).toMatch(/kernel/);
    await expect(running.locator('.jp-InputPrompt')).not.toHaveText('[*]:');
    await command(page, live.runId, 'retry');
    await live.until('done');
    // The planner was asked for the failed behavior again: it took the place of the first try,
    // so that no cell of the lost kernel is left to be rebuilt.
    const cells = await live.expectCells(['own', 'x = 41', slow]);
    expect(JSON.stringify(cells[2]?.outputs)).toContain('42');
    await expectNoDialog(page);
  });

  test('changed between two cells: the run asks before it goes on', async ({
    page,
    live
  }) => {
    await live.open();
    await live.run([
      code('x = 41'),
      RUN,
      hold('changed'),
      code('print(x + 1)'),
      RUN
    ]);
    await expect(page.locator('.jp-InputPrompt').nth(1)).toHaveText('[1]:');
    await kernel(page, 'change');
    live.release('changed');
    const asked = await live.until('waiting');
    expect(asked.pending?.kind).toBe('rebuild');
    await answer(page, live.runId, 'confirm');
    await live.until('done');
    const cells = await expectSameOnDisk(page, live.path);
    expect(JSON.stringify(cells[2]?.outputs)).toContain('42');
    await expectNoDialog(page);
  });
});

test.describe('a cell that the person changed before it is run', () => {
  test('is run as they see it, though they have not saved it', async ({
    page,
    live
  }) => {
    await live.open();
    await live.run([
      code('print("planned")'),
      hold('edited'),
      RUN,
      hold('end')
    ]);
    await expect(live.cells).toHaveCount(2);
    const [, cell] = await inPage(page);
    const said = await listenToPage(page);
    await changeCell(page, cell?.id ?? '', { append: '\nprint("typed")' });
    await expect.poll(said).toContain('"edited"');
    live.release('edited');
    await expect(live.cells.locator('.jp-OutputArea-output')).toContainText(
      'typed'
    );
    await expect(page.locator('.Toastify__toast')).toContainText('was edited');
    live.release('end');
    await live.until('done');
    const [, ran] = await expectSameOnDisk(page, live.path);
    expect(ran?.source).toBe('print("planned")\nprint("typed")');
    await expectNoDialog(page);
  });

  test('is not run when they have deleted it, and the run says so', async ({
    page,
    live
  }) => {
    await live.open();
    await live.run([code('print("planned")'), hold('deleted'), RUN]);
    await expect(live.cells).toHaveCount(2);
    const cell = (await inPage(page))[1];
    const said = await listenToPage(page);
    await changeCell(page, cell?.id ?? '', 'delete');
    await expect.poll(said).toContain('"edited"');
    live.release('deleted');
    const stopped = await live.until('failed', 'paused');
    expect(stopped.error?.message).toContain('no longer in the notebook');
    await expect(page.locator('.Toastify__toast')).toContainText(
      'stays deleted'
    );
    expect(sources(await expectSameOnDisk(page, live.path))).toEqual(['own']);
    await expectNoDialog(page);
  });
});

test('a notebook moved to another folder takes its run along', async ({
  page,
  live
}) => {
  const moved = `${live.folder}/inner/a.ipynb`;
  await live.make(['own']);
  await page.request.put(`/api/contents/${live.folder}/inner`, {
    data: { type: 'directory' }
  });
  await live.openAgain();
  await live.run([...stream(3, 0), hold('moved'), text('after')]);
  await expect(live.cells).toHaveCount(4);
  // As another program does it: this page learns it from the server.
  await page.request.patch(`/api/contents/${live.path}`, {
    data: { path: moved }
  });
  live.release('moved');
  await live.until('done');
  await expect
    .poll(async () => sources(await onDisk(page, moved)))
    .toEqual(['own', ...streamed(3), 'after']);
  await expect(live.cells).toHaveCount(5);
});

test('another program writes the file: both changes are kept, and the run says so', async ({
  page,
  live
}) => {
  await live.open();
  // The kernel is any other program: it goes past the server.
  const write = [
    'from pathlib import Path',
    'file = Path("a.ipynb")',
    'file.write_text(file.read_text().replace(\'"own"\', \'"own, by a program"\'))'
  ].join('\n');
  await live.run([
    text('before'),
    1,
    code(write),
    hold('flushed'),
    RUN,
    text('after'),
    hold('end'),
    text('last')
  ]);
  await expect
    .poll(async () => (await onDisk(page, live.path)).length, {
      timeout: 20_000
    })
    .toBe(3);
  live.release('flushed');
  await expect
    .poll(async () => (await inPage(page))[0]?.source)
    .toBe('own, by a program');
  live.release('end');
  await expect(
    page.locator('.Toastify__toast', { hasText: 'another program' })
  ).toBeVisible();
  await live.until('done');
  await live.expectCells([
    'own, by a program',
    'before',
    write,
    'after',
    'last'
  ]);
});

test.describe('older versions and copies', () => {
  test('a restored checkpoint stays as it was, and the run goes on in it', async ({
    page,
    live
  }) => {
    await live.open();
    await live.run([
      text('kept'),
      hold('checkpoint'),
      text('put away 1'),
      text('put away 2'),
      hold('restored'),
      text('after')
    ]);
    await expect(live.cells).toHaveCount(2);
    await save(page); // JupyterLab's save makes the checkpoint.
    live.release('checkpoint');
    await expect(live.cells).toHaveCount(4);
    await page.evaluate(async () => {
      const panel = window.jupyterapp.shell.currentWidget as unknown as {
        context: {
          listCheckpoints(): Promise<{ id: string }[]>;
          restoreCheckpoint(id?: string): Promise<void>;
          revert(): Promise<void>;
        };
      };
      const [checkpoint] = await panel.context.listCheckpoints();
      await panel.context.restoreCheckpoint(checkpoint?.id);
      await panel.context.revert();
    });
    await expect(live.cells).toHaveCount(2);
    live.release('restored');
    await live.until('done');
    await expect(live.cells).toHaveCount(3);
    await live.expectCells(['own', 'kept', 'after']);
  });

  test('a Save As copy goes its own way', async ({ page, live }) => {
    const copy = `${live.folder}/copy.ipynb`;
    await live.open();
    await live.run([text('both'), hold('copied'), text('late')]);
    await expect(live.cells).toHaveCount(2);
    await save(page); // JupyterLab closes the original, and would ask about unsaved changes.
    await page.evaluate(() => {
      void window.jupyterapp.commands.execute('docmanager:save-as');
    });
    await page.locator('.jp-Dialog input').fill(copy);
    await page.keyboard.press('Enter');
    await expectNoDialog(page);
    await expect
      .poll(async () => sources(await onDisk(page, copy).catch(() => [])))
      .toEqual(['own', 'both']);
    live.release('copied');
    await live.until('done');
    expect(sources(await onDisk(page, live.path))).toEqual([
      'own',
      'both',
      'late'
    ]);
    await openNotebook(page, copy);
    expect(sources(await expectSameOnDisk(page, copy))).toEqual([
      'own',
      'both'
    ]);
    // A run in the copy has a log of its own.
    const again = await Planner.start([text('in the copy')]);
    const second = await startRun(page, copy, again);
    await untilStatus(page, second, 'done');
    await expect(live.cells).toHaveCount(3);
    expect(sources(await expectSameOnDisk(page, copy))).toEqual([
      'own',
      'both',
      'in the copy'
    ]);
    expect(sources(await onDisk(page, live.path))).toEqual([
      'own',
      'both',
      'late'
    ]);
    await again.stop();
    await expectNoDialog(page);
  });
});
