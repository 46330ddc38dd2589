import type { TranslationBundle } from '@jupyterlab/translation';

/** `40 ms`, `0.4 s`, `12 s`, `3 min 05 s`, `1 h 02 min`. */
export function duration(ms: number, trans: TranslationBundle): string {
  const seconds = Math.max(0, ms) / 1000;
  if (seconds < 0.1) {
    return trans.__('%1 ms', String(Math.round(Math.max(0, ms))));
  }
  if (seconds < 10) {
    return trans.__('%1 s', seconds.toFixed(1));
  }
  if (seconds < 60) {
    return trans.__('%1 s', String(Math.floor(seconds)));
  }
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) {
    return trans.__(
      '%1 min %2 s',
      String(minutes),
      String(Math.floor(seconds % 60)).padStart(2, '0')
    );
  }
  return trans.__(
    '%1 h %2 min',
    String(Math.floor(minutes / 60)),
    String(minutes % 60).padStart(2, '0')
  );
}

export function bytes(count: number): string {
  if (count < 1000) {
    return `${String(count)} B`;
  }
  const kilo = count / 1000;
  return kilo < 1000
    ? `${kilo.toFixed(1)} kB`
    : `${(kilo / 1000).toFixed(1)} MB`;
}

export function clockTime(iso: string): string {
  const date = new Date(iso);
  return Number.isNaN(date.getTime())
    ? iso
    : date.toLocaleTimeString(undefined, { hourCycle: 'h23' });
}

/** JSON with line breaks; what is no JSON stays as it is. */
export function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** A value of a planner or kernel as one piece of text. */
export function plain(value: unknown): string {
  if (typeof value === 'string') {
    return value;
  }
  const text: unknown = JSON.stringify(value);
  return typeof text === 'string' ? text : String(value);
}
