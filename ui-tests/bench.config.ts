import { resolve } from 'node:path';

import { defineConfig } from '@playwright/test';

import tests from './playwright.config';
import { UI_TESTS } from './server';

/** Measurements in the browser; those of `bench/` start them and say what they mean. */
export default defineConfig({
  ...tests,
  testDir: resolve(UI_TESTS, 'bench'),
  testMatch: '*.bench.ts',
  timeout: 900_000,
  workers: 1,
  reporter: 'line',
  use: { ...tests.use, trace: 'off' }
});
