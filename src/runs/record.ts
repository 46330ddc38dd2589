import type { Api, ICall, ITransition } from '../connection/api';
import type { RecordHead, RunView } from '../protocol';

/** A run with everything that is known about it, as it is exported. */
export interface IRunRecord extends RecordHead {
  transitions: ITransition[];
  calls: ICall[];
  activity: unknown[];
}

/** Read a run's whole record, page by page. */
export async function readRecord(api: Api, run: RunView): Promise<IRunRecord> {
  return {
    ...(await api.record(run.id)),
    transitions: await allPages(
      after => api.transitions(run.id, after),
      ({ number }) => number
    ),
    calls: await allPages(
      after => api.calls(run.id, after),
      ({ number }) => number
    ),
    activity: await allPages(
      async after => (await api.activity(run.id, after)).nodes,
      ({ revision }) => revision
    )
  };
}

async function allPages<T>(
  page: (after: number) => Promise<T[]>,
  numberOf: (item: T) => number
): Promise<T[]> {
  const all: T[] = [];
  for (;;) {
    const last = all.at(-1);
    const more = await page(last === undefined ? 0 : numberOf(last));
    if (more.length === 0) {
      return all;
    }
    all.push(...more);
  }
}

/** Hand a text to the browser as a file. */
export function download(name: string, text: string): void {
  const url = URL.createObjectURL(
    new Blob([text], { type: 'application/json' })
  );
  const anchor = document.createElement('a');
  anchor.href = url;
  anchor.download = name;
  anchor.click();
  URL.revokeObjectURL(url);
}
