import type { LivePage } from '../live';

/** What a phase of a measurement did to the page. */
export interface IPhase {
  /** Milliseconds from the line, or the command, to the cell in the DOM. */
  latencies: number[];
  longTasks: number[];
}

interface IWatch {
  cells: { source: string; at: number; wall: number }[];
  longTasks: number[];
}

type Watched = Window & { bccWatch: IWatch };

/** Note every cell that gets into the DOM of the current notebook, and every long task. */
export async function watch(page: LivePage): Promise<void> {
  await page.evaluate(() => {
    const { content } = window.jupyterapp.shell.currentWidget as unknown as {
      content: {
        node: HTMLElement;
        widgets: {
          node: HTMLElement;
          model: { sharedModel: { source: string } };
        }[];
      };
    };
    const seen: IWatch = { cells: [], longTasks: [] };
    (window as unknown as Watched).bccWatch = seen;
    new MutationObserver(records => {
      const [at, wall] = [performance.now(), Date.now()];
      for (const record of records) {
        for (const node of Array.from(record.addedNodes)) {
          if (
            node instanceof HTMLElement &&
            node.classList.contains('jp-Cell')
          ) {
            const cell = content.widgets.find(one => one.node === node);
            const source = cell?.model.sharedModel.source ?? '';
            seen.cells.push({ source, at, wall });
          }
        }
      }
    }).observe(content.node, { childList: true, subtree: true });
    new PerformanceObserver(list => {
      seen.longTasks.push(...list.getEntries().map(one => one.duration));
    }).observe({ type: 'longtask' });
  });
}

/** What was noted since the last time. */
export async function noted(page: LivePage): Promise<IWatch> {
  return await page.evaluate(() => {
    const seen = (window as unknown as Watched).bccWatch;
    const result = { cells: [...seen.cells], longTasks: [...seen.longTasks] };
    seen.cells.length = seen.longTasks.length = 0;
    return result;
  });
}

/** JupyterLab inserts cells by command; the time from each command to its cell in the DOM. */
export async function insertByCommand(
  page: LivePage,
  count: number,
  pauseMs: number
): Promise<number[]> {
  return await page.evaluate(
    async ({ times, pause }) => {
      const { commands, shell } = window.jupyterapp;
      const { content } = shell.currentWidget as unknown as {
        content: { activeCellIndex: number; widgets: unknown[]; mode: string };
      };
      const seen = (window as unknown as Watched).bccWatch;
      const latencies: number[] = [];
      content.activeCellIndex = content.widgets.length - 1;
      content.mode = 'command';
      const wait = async (ms: number): Promise<void> => {
        await new Promise(resolve => setTimeout(resolve, ms));
      };
      await wait(1_000);
      for (let index = 0; index < times; index++) {
        const known = seen.cells.length;
        const started = performance.now();
        void commands.execute('notebook:insert-cell-below');
        while (seen.cells.length === known) {
          await wait(1);
        }
        latencies.push((seen.cells[known]?.at ?? NaN) - started);
        await wait(pause);
      }
      // A cell that comes in above the active one makes JupyterLab touch every editor; so does
      // each command here. The run's cells are to be measured with its reader further up.
      content.activeCellIndex = 0;
      await wait(2_000);
      return latencies;
    },
    { times: count, pause: pauseMs }
  );
}

/** Question and answer over the socket that the operations take. */
export async function roundTrips(
  page: LivePage,
  count: number
): Promise<number[]> {
  return await page.evaluate(async times => {
    const url = new URL('/notebook-bcc/api/live', window.location.href);
    url.protocol = 'ws:';
    const socket = new WebSocket(url);
    const next = async (type: string): Promise<void> => {
      await new Promise<void>(resolve => {
        const listen = (event: MessageEvent): void => {
          const message = JSON.parse(String(event.data)) as { type: string };
          if (message.type === type) {
            socket.removeEventListener('message', listen);
            resolve();
          }
        };
        socket.addEventListener('message', listen);
      });
    };
    await next('hello');
    const latencies: number[] = [];
    for (let index = 0; index < times; index++) {
      const started = performance.now();
      const answered = next('attached');
      socket.send(JSON.stringify({ type: 'attach', path: 'no-such.ipynb' }));
      await answered;
      latencies.push(performance.now() - started);
      await new Promise(resolve => setTimeout(resolve, 50));
    }
    socket.close();
    return latencies;
  }, count);
}

export interface ISave {
  at: number;
  by: string;
}

/** Count the saves of a notebook, as the server tells them. */
export async function watchSaves(page: LivePage, path: string): Promise<void> {
  await page.evaluate(notebook => {
    const saves: ISave[] = [];
    (window as unknown as { bccSaves: ISave[] }).bccSaves = saves;
    const url = new URL('/notebook-bcc/api/live', window.location.href);
    url.protocol = 'ws:';
    const socket = new WebSocket(url);
    socket.onmessage = event => {
      const message = JSON.parse(String(event.data)) as {
        type: string;
        by?: string;
      };
      if (message.type === 'hello') {
        socket.send(JSON.stringify({ type: 'attach', path: notebook }));
      } else if (message.type === 'disk') {
        saves.push({ at: performance.now(), by: message.by ?? '' });
      }
    };
  }, path);
}

export async function saves(page: LivePage): Promise<ISave[]> {
  return await page.evaluate(
    () => (window as unknown as { bccSaves: ISave[] }).bccSaves
  );
}
