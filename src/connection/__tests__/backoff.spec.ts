import { Backoff } from '../backoff';

describe('Backoff', () => {
  it('doubles up to the ceiling and stays there', () => {
    const backoff = new Backoff({
      firstMs: 100,
      ceilingMs: 1000,
      random: () => 1
    });
    const waits = Array.from({ length: 6 }, () => backoff.next());
    expect(waits).toEqual([100, 200, 400, 800, 1000, 1000]);
  });

  it('never waits less than half, whatever the dice say', () => {
    const backoff = new Backoff({
      firstMs: 100,
      ceilingMs: 1000,
      random: () => 0
    });
    expect(backoff.next()).toBe(50);
    expect(backoff.next()).toBe(100);
  });

  it('starts over after a reset', () => {
    const backoff = new Backoff({
      firstMs: 100,
      ceilingMs: 1000,
      random: () => 1
    });
    backoff.next();
    backoff.next();
    backoff.reset();
    expect(backoff.next()).toBe(100);
  });
});
