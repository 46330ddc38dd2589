import { ApiError } from '../connection/api';
import { FakeClient, someRun } from '../runs/__tests__/fake-client';
import { Model } from '../runs/model';
import { INotebookBcc } from '../tokens';

describe('INotebookBcc, as another extension has it', () => {
  let client: FakeClient;
  let bcc: INotebookBcc;

  beforeEach(() => {
    client = new FakeClient();
    bcc = new Model(client.asClient());
    client.greet('idle');
  });

  it('has a name and says what it is', () => {
    expect(INotebookBcc.name).toBe('notebook-bcc-ext:INotebookBcc');
    expect(INotebookBcc.description).toContain('runs');
  });

  it('starts a run, and has it among the runs', async () => {
    client.api.startRun = jest.fn().mockResolvedValue(someRun());
    const changed = jest.fn();
    bcc.stateChanged.connect(changed);
    const request = {
      notebook: 'a.ipynb',
      planner: { kind: 'embedded' as const, playbook: 'report' }
    };
    const run = await bcc.start(request);
    // With what the person set for all runs, here nothing.
    expect(client.api.startRun).toHaveBeenCalledWith({
      ...request,
      settings: {}
    });
    expect(bcc.runs).toEqual([run]);
    expect(changed).toHaveBeenCalled();
  });

  it('gives a command, with a key that makes it safe to send twice', async () => {
    client.tell(someRun());
    const paused = someRun({ status: 'paused' });
    client.api.command = jest.fn().mockResolvedValue(paused);
    expect(await bcc.command('r1', { command: 'pause' })).toBe(paused);
    expect(client.api.command).toHaveBeenCalledWith('r1', {
      command: 'pause',
      key: expect.stringMatching(/.+/) as string
    });
    expect(bcc.runs).toEqual([paused]);
  });

  it('throws what the server refuses', async () => {
    const refusal = new ApiError(409, 'IllegalCommandError', 'no', ['resume']);
    client.api.startRun = jest.fn().mockRejectedValue(refusal);
    client.api.command = jest.fn().mockRejectedValue(refusal);
    client.api.run = jest.fn().mockResolvedValue(someRun());
    const planner = { kind: 'http' as const, url: 'http://127.0.0.1:1' };
    const request = { notebook: 'a.ipynb', planner };
    await expect(bcc.start(request)).rejects.toBe(refusal);
    await expect(bcc.command('r1', { command: 'pause' })).rejects.toBe(refusal);
  });
});
