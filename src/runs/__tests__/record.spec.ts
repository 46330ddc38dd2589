import type { Api } from '../../connection/api';
import { readRecord } from '../record';
import { FakeClient, SOME_RUN } from './fake-client';

/** What a server with these items answers, two at a time. */
function pages<T>(items: T[], numberOf: (item: T) => number) {
  return jest.fn(async (_run: string, after: number) => {
    const later = items.filter(item => numberOf(item) > after);
    return await Promise.resolve(later.slice(0, 2));
  });
}

test('a record has the head as the server tells it, and every page', async () => {
  const numbered = [1, 2, 3, 4, 5].map(number => ({ number }));
  const nodes = [1, 2, 3].map(revision => ({ revision }));
  const head = {
    format: 'notebook-bcc-run/1',
    run: SOME_RUN,
    request: { notebook: 'a.ipynb' },
    settings: { dialect: 'v1' },
    decisions: [{ kind: 'steps', decision: 'rejected', reason: 'no' }]
  };
  const someNodes = pages(nodes, ({ revision }) => revision);
  const client = new FakeClient();
  client.api = {
    record: jest.fn().mockResolvedValue(head),
    transitions: pages(numbered, ({ number }) => number),
    calls: pages(numbered, ({ number }) => number),
    activity: jest.fn(async (run: string, after: number) => ({
      epoch: 0,
      nodes: await someNodes(run, after)
    }))
  };
  const record = await readRecord(client.api as unknown as Api, SOME_RUN);
  expect(record).toEqual({
    ...head,
    transitions: numbered,
    calls: numbered,
    activity: nodes
  });
  expect(client.api.record).toHaveBeenCalledWith(SOME_RUN.id);
});
