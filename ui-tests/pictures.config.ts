import { resolve } from 'node:path';

import { defineConfig } from '@playwright/test';

import tests from './playwright.config';
import { UI_TESTS } from './server';

/** The frames of the README's animation; `make pictures` starts it. */
export default defineConfig({
  ...tests,
  testDir: resolve(UI_TESTS, 'animation'),
  testMatch: '*.frames.ts',
  timeout: 400_000,
  workers: 1,
  reporter: 'line'
});
