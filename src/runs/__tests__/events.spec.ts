import { newsOf, type News } from '../events';
import { ACTION_ENDED, CALL_ENDED, TRANSITION } from './fake-client';

const AT = { time: '2026-01-01T00:00:10.000Z' };
const NOTICE: News = {
  ...AT,
  kind: 'notice',
  level: 'warning',
  text: 'a cell was changed',
  about: null,
  to_planner: true,
  to_person: true,
  of_notebook: true
};

function read(news: News): ReturnType<typeof newsOf> {
  return newsOf({ type: 'event', run_id: 'r1', seq: 1, news });
}

describe('what an event means to the browser', () => {
  it.each<[News, string[]]>([
    [ACTION_ENDED, ['activity', 'observation']],
    [TRANSITION, ['activity', 'transitions']],
    [CALL_ENDED, ['calls']],
    [{ ...AT, kind: 'planner_called', call: 'planning' }, ['activity']],
    [{ ...AT, kind: 'cell_running', cell_id: 'a' }, []]
  ])('%j: news of %j', (news, parts) => {
    expect(read(news)).toEqual({ runId: 'r1', parts, notebookNotice: null });
  });

  it('a notice about the notebook has a text to show', () => {
    expect(read(NOTICE).notebookNotice).toBe('a cell was changed');
    expect(read({ ...NOTICE, of_notebook: false }).notebookNotice).toBeNull();
  });
});
