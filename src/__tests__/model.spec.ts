import { Model } from '../model';
import { DEFAULT_SETTINGS } from '../settings';
import { FakeClient, SOME_RUN } from './fake-client';

describe('Model', () => {
  let client: FakeClient;
  let model: Model;
  let changes: number;

  beforeEach(() => {
    client = new FakeClient();
    model = new Model(client.asClient());
    changes = 0;
    model.stateChanged.connect(() => {
      changes += 1;
    });
  });

  it('knows nothing before the server has spoken', () => {
    expect(model.connection).toBe('connecting');
    expect(model.state).toBeNull();
    expect(model.serverVersion).toBe('');
    expect(model.runs).toEqual([]);
  });

  it('takes state, version and runs from the server', () => {
    client.greet('step_running', [SOME_RUN]);
    expect(model.state).toBe('step_running');
    expect(model.serverVersion).toBe('1.2.3');
    expect(model.runs).toEqual([SOME_RUN]);
    expect(changes).toBeGreaterThan(0);
  });

  it('keeps the last known state while the connection is away', () => {
    client.greet('idle');
    client.become('reconnecting');
    expect(model.connection).toBe('reconnecting');
    expect(model.state).toBe('idle');
  });

  it('announces new settings', () => {
    expect(model.settings).toBe(DEFAULT_SETTINGS);
    model.settings = { ...DEFAULT_SETTINGS, follow: false };
    expect(model.settings.follow).toBe(false);
    expect(changes).toBe(1);
  });

  it('lets go of the client when it is disposed', () => {
    model.dispose();
    model.dispose();
    client.greet('error');
    expect(model.state).toBeNull();
  });
});
