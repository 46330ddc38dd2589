import { RunFeed } from '../feed';
import { Model } from '../model';
import {
  ACTION_ENDED,
  CALL_ENDED,
  FakeClient,
  SOME_RUN,
  TRANSITION
} from './fake-client';

jest.useFakeTimers();

describe('The feed of a run', () => {
  let client: FakeClient;
  let feed: RunFeed;

  async function pass(): Promise<void> {
    await jest.advanceTimersByTimeAsync(300);
  }

  beforeEach(() => {
    client = new FakeClient();
    client.api.transitions = jest.fn().mockResolvedValue([]);
    client.api.calls = jest.fn().mockResolvedValue([]);
    feed = new RunFeed(new Model(client.asClient()));
    client.greet('step_running', [SOME_RUN]);
  });

  afterEach(() => {
    feed.dispose();
  });

  it('asks for nothing that nobody looks at', async () => {
    client.happens(TRANSITION);
    await pass();
    expect(client.api.transitions).not.toHaveBeenCalled();
  });

  it('asks once for news that come together, and only for what is new', async () => {
    const first = { number: 7, from: 'a', event: 'E', to: 'b', timestamp: '' };
    client.api.transitions!.mockResolvedValueOnce([first]);
    feed.watch('transitions');
    await pass();
    for (let count = 0; count < 100; count += 1) {
      client.happens(TRANSITION);
    }
    await pass();
    expect(client.api.transitions!.mock.calls).toEqual([
      ['r1', 0, 500],
      ['r1', 7, 500]
    ]);
    expect(feed.transitions).toEqual([first]);
  });

  it('begins anew when the tree was begun anew', async () => {
    client.api
      .activity!.mockResolvedValueOnce({
        epoch: 0,
        nodes: [{ key: 'b', revision: 9 }]
      })
      .mockResolvedValueOnce({ epoch: 1, nodes: [] })
      .mockResolvedValueOnce({ epoch: 1, nodes: [{ key: 'a', revision: 3 }] });
    feed.watch('activity');
    await pass();
    client.happens(ACTION_ENDED);
    await pass();
    await pass();
    expect(feed.tree.revision).toBe(3);
    expect(feed.tree.node('b')).toBeUndefined();
  });

  it('reads a long tree page by page', async () => {
    const nodes = Array.from({ length: 1200 }, (_, at) => ({
      key: `s/t/1/a${String(at)}`,
      level: 'action',
      revision: at + 1
    }));
    client.api.activity = jest
      .fn()
      .mockImplementation((_: string, after: number, limit: number) =>
        Promise.resolve({ epoch: 0, nodes: nodes.slice(after, after + limit) })
      );
    feed.watch('activity');
    await pass();
    expect(feed.tree.children('s/t/1')).toHaveLength(1200);
    expect(client.api.activity).toHaveBeenCalledTimes(3);
  });

  it('keeps the newest calls, and no more than that', async () => {
    client.api.calls = jest
      .fn()
      .mockImplementation((_: string, after: number, limit: number) =>
        Promise.resolve(
          Array.from({ length: Math.min(limit, 800 - after) }, (_, at) => ({
            number: after + at + 1
          }))
        )
      );
    feed.watch('calls');
    await pass();
    expect(feed.calls).toHaveLength(500);
    expect(feed.calls[0]).toEqual({ number: 301 });
  });

  it('does not let a slow part keep the others waiting', async () => {
    client.api.observation = jest
      .fn()
      .mockReturnValue(new Promise(() => undefined));
    feed.watch('observation');
    feed.watch('calls');
    await pass();
    client.happens(CALL_ENDED);
    await pass();
    expect(client.api.calls).toHaveBeenCalledTimes(2);
  });

  it('asks again after the connection came back', async () => {
    feed.watch('calls');
    await pass();
    client.become('reconnecting');
    client.become('connected');
    await pass();
    expect(client.api.calls).toHaveBeenCalledTimes(2);
  });

  it('goes on after a failed question', async () => {
    client.api.calls!.mockRejectedValueOnce(new Error('gone'));
    feed.watch('calls');
    await pass();
    client.happens(CALL_ENDED);
    await pass();
    expect(client.api.calls).toHaveBeenCalledTimes(2);
  });
});
