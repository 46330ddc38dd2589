import type { RunEvent } from '../../protocol';
import { newsOf } from '../events';

function event(kind: string, payload: Record<string, unknown> = {}): RunEvent {
  return { type: 'event', run_id: 'r1', seq: 1, time: '', kind, payload };
}

describe('what an event means to the browser', () => {
  it.each([
    ['action', ['activity', 'observation']],
    ['transition', ['activity', 'transitions']],
    ['judgement', ['activity', 'observation']],
    ['planner', ['activity']],
    ['status', ['activity', 'observation']],
    ['call', ['calls']],
    ['cell', []],
    ['from-the-future', []]
  ])('%s: news of %j', (kind, parts) => {
    expect(newsOf(event(kind))).toEqual({
      runId: 'r1',
      parts,
      notebookNotice: null
    });
  });

  it('a notice about the notebook has a text to show', () => {
    const notice = { about: 'notebook', text: 'a cell was changed' };
    const said = (payload: Record<string, unknown>): string | null =>
      newsOf(event('notice', payload)).notebookNotice;
    expect(said(notice)).toBe('a cell was changed');
    expect(said({ ...notice, about: 'planner' })).toBeNull();
    expect(said({ about: 'notebook' })).toBeNull();
  });
});
