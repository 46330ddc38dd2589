import { resolve } from 'node:path';

import { UI_TESTS } from './server';

/** Whether this run renews the pictures of the documentation (`make pictures`). */
const RENEW = process.env.BCC_UI_PICTURES === '1';
const FOLDER = resolve(UI_TESTS, RENEW ? '../docs/images' : 'screenshots');

/** Tests that make a picture for the documentation. */
export const PICTURE = { tag: '@picture' };

/** Where a picture goes: a test run changes no file of the repository. */
export function pictureOf(name: string): string {
  return resolve(FOLDER, name);
}
