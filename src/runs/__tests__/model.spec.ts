import { ApiError } from '../../connection/api';
import { DEFAULT_SETTINGS } from '../../settings';
import type { RunView } from '../../protocol';
import { Model } from '../model';
import { FakeClient, SOME_RUN, someRun } from './fake-client';

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

  it('looks at the newest run, or at the one that was chosen', () => {
    client.greet('idle', [someRun({ id: 'new' }), someRun({ id: 'old' })]);
    expect(model.selected?.id).toBe('new');
    model.select('old');
    expect(model.selected?.id).toBe('old');
  });

  it('C9: looks at the run of the notebook in front', () => {
    client.greet('idle', [
      someRun({ id: 'b2', notebook: 'b.ipynb' }),
      someRun({ id: 'a1', notebook: 'a.ipynb' }),
      someRun({ id: 'b1', notebook: 'b.ipynb' })
    ]);
    model.front = 'a.ipynb';
    expect(model.selected?.id).toBe('a1');
    model.select('b1');
    expect(model.selected?.id).toBe('b1');
    model.front = 'b.ipynb';
    expect(model.selected?.id).toBe('b2');
    model.front = 'without.ipynb';
    expect(model.selected).toBeNull();
    model.front = null;
    expect(model.selected?.id).toBe('b2');
  });

  it('starts runs with the person’s other settings, under what the request says', async () => {
    const asked = jest.fn().mockResolvedValue(someRun());
    client.api.startRun = asked;
    model.settings = {
      ...DEFAULT_SETTINGS,
      options: { max_execution_steps: 5, stream: false }
    };
    const planner = { kind: 'embedded', playbook: 'lifecycle' } as const;
    await model.start({
      notebook: 'a.ipynb',
      planner,
      settings: { stream: true }
    });
    expect(asked).toHaveBeenCalledWith(
      expect.objectContaining({
        settings: { max_execution_steps: 5, stream: true }
      })
    );
  });

  it('C9: follows as the settings say, until the person says otherwise', () => {
    expect(model.isFollowed('r1')).toBe(true);
    model.follow('r1', false);
    expect(model.isFollowed('r1')).toBe(false);
    expect(model.isFollowed('r2')).toBe(true);
    model.settings = { ...DEFAULT_SETTINGS, follow: false };
    expect(model.isFollowed('r2')).toBe(false);
    model.follow('r1', true);
    expect(model.isFollowed('r1')).toBe(true);
  });

  it('is not taken back by an answer that is older than the news', async () => {
    const late = someRun({ revision: 11 });
    client.greet('idle', [late]);
    client.api.command = jest.fn().mockImplementation(() => {
      client.tell(someRun({ state: 'workflow_completed', revision: 12 }));
      return Promise.resolve(late);
    });
    await model.command('r1', { command: 'confirm' });
    expect(model.selected?.state).toBe('workflow_completed');
  });

  it('is ordered by the count of its changes, not by a clock', () => {
    const view = (
      state: RunView['state'],
      revision: number,
      at: string
    ): RunView => someRun({ state, updated_at: at, revision });
    client.greet('idle', [view('step_running', 7, '2026-01-01T00:00:20Z')]);
    // The server's clock was set back meanwhile.
    client.tell(view('workflow_completed', 8, '2026-01-01T00:00:10Z'));
    expect(model.selected?.state).toBe('workflow_completed');
    client.tell(view('action_running', 6, '2026-01-01T00:00:30Z'));
    expect(model.selected?.state).toBe('workflow_completed');
  });

  it('keeps what the server refused, until it is dismissed', async () => {
    client.greet('idle', [SOME_RUN]);
    client.api.command = jest
      .fn()
      .mockRejectedValue(
        new ApiError(409, 'IllegalCommandError', 'already confirmed by Ada', [])
      );
    const decision = {
      proposal_id: 'p1',
      kind: 'steps' as const,
      verdict: 'confirmed' as const,
      decided_by: 'Ada',
      reason: null,
      edited: false
    };
    client.api.run = jest.fn().mockResolvedValue(someRun({ decision }));
    const command = { command: 'reject' as const, proposal_id: 'p1' };
    await expect(model.command('r1', command)).rejects.toBeInstanceOf(ApiError);
    expect(model.refusal('r1')).toEqual({
      kind: 'IllegalCommandError',
      message: 'already confirmed by Ada',
      proposal: 'p1'
    });
    // The run was not as it was shown: it is looked at again.
    expect(model.selected?.decision).toEqual(decision);
    model.forgetRefusal('r1');
    expect(model.refusal('r1')).toBeUndefined();
  });

  it('lets go of the client when it is disposed', () => {
    model.dispose();
    model.dispose();
    client.greet('error');
    expect(model.state).toBeNull();
  });
});
