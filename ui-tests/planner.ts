import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';

import { UI_TESTS } from './server';

export type Action = Record<string, unknown>;
export type Item = Action | number;

export const RUN: Action = { action: 'exec', codecell_id: 'lastAddedCellId' };

export function code(content: string): Action {
  return { action: 'add', shot_type: 'action', content };
}

export function text(content: string): Action {
  return { action: 'add', shot_type: 'dialogue', content };
}

export function hold(name: string): Action {
  return { wait: name };
}

/** A planner service that plays one script. */
export class Planner {
  /** Each list of items is one behavior of the only step. */
  static async start(...behaviors: Item[][]): Promise<Planner> {
    const child = spawn(resolve(UI_TESTS, '../.venv/bin/python'), [
      resolve(UI_TESTS, 'planner.py')
    ]);
    child.stderr.pipe(process.stderr);
    const script = { steps: { step_1: behaviors } };
    child.stdin.write(`${JSON.stringify(script)}\n`);
    const lines = createInterface(child.stdout);
    const [url] = (await once(lines, 'line')) as [string];
    return new Planner(child, url);
  }

  private constructor(
    private readonly _child: ChildProcessWithoutNullStreams,
    readonly url: string
  ) {}

  release(name: string): void {
    this._child.stdin.write(`${name}\n`);
  }

  async stop(): Promise<void> {
    const ended = once(this._child, 'exit');
    this._child.stdin.end();
    this._child.kill();
    await ended;
  }
}

/** `count` text cells, `seconds` apart. */
export function stream(count: number, seconds: number): Item[] {
  return Array.from({ length: count }, (_, index) => [
    text(`cell ${String(index + 1)}`),
    seconds
  ]).flat();
}

export function streamed(count: number): string[] {
  return Array.from(
    { length: count },
    (_, index) => `cell ${String(index + 1)}`
  );
}
