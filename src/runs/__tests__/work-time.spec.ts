import { workClock, workedMs } from '../work-time';

const at = (minute: number): string =>
  new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString();
const minutes = (ms: number): number => ms / 60_000;

function run(more = {}) {
  return {
    created_at: at(0),
    ended_at: null,
    rested_ms: 0,
    resting_since: null,
    ...more
  };
}

describe('N12: times are those of the work', () => {
  it.each([
    ['goes on', run(), 50, 50],
    ['goes on after rests', run({ rested_ms: 600_000 }), 50, 40],
    ['waits since minute 20', run({ resting_since: at(20) }), 50, 20],
    ['waits again', run({ rested_ms: 600_000, resting_since: at(30) }), 50, 20],
    ['ended', run({ ended_at: at(40), resting_since: at(41) }), 50, 40],
    [
      'was cancelled while it waited',
      run({ ended_at: at(40), resting_since: at(10) }),
      50,
      10
    ]
  ])('of a run that %s', (_, one, now, expected) => {
    const clock = workClock(one, Date.parse(at(now)));
    expect(minutes(workedMs(one, clock))).toBe(expected);
  });

  it('of a part that ended, and of one that the resting run is at', () => {
    const clock = workClock(run({ resting_since: at(30) }), Date.parse(at(50)));
    const ended = { started_at: at(5), ended_at: at(15), rested_ms: 300_000 };
    const open = { started_at: at(15), ended_at: null, rested_ms: 300_000 };
    expect(minutes(workedMs(ended, clock))).toBe(5);
    expect(minutes(workedMs(open, clock))).toBe(10);
  });
});
