import { Model } from '../model';
import { RunFeed } from '../run-feed';
import { FakeClient, SOME_RUN } from './fake-client';

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
    client.happens('transition');
    await pass();
    expect(client.api.transitions).not.toHaveBeenCalled();
  });

  it('asks once for news that come together, and only for what is new', async () => {
    const first = { number: 7, from: 'a', event: 'E', to: 'b', timestamp: '' };
    client.api.transitions!.mockResolvedValueOnce([first]);
    feed.watch('transitions');
    await pass();
    for (let count = 0; count < 100; count += 1) {
      client.happens('transition');
    }
    await pass();
    expect(client.api.transitions!.mock.calls).toEqual([
      ['r1', 0],
      ['r1', 7]
    ]);
    expect(feed.transitions).toEqual([first]);
  });

  it('begins anew when the tree was begun anew', async () => {
    client.api
      .activity!.mockResolvedValueOnce({ epoch: 1, nodes: [] })
      .mockResolvedValueOnce({ epoch: 1, nodes: [{ key: 'a', revision: 3 }] });
    feed.watch('activity');
    await pass();
    await pass();
    expect(feed.tree.revision).toBe(3);
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
    client.happens('call');
    await pass();
    expect(client.api.calls).toHaveBeenCalledTimes(2);
  });
});
