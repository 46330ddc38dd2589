import { resolve } from 'node:path';

import { defineConfig } from '@playwright/test';

import tests from './playwright.config';
import { UI_TESTS } from './server';

/** Measurements in the browser; `python -m bench.bench_live` starts them and says what they mean. */
export default defineConfig({
  ...tests,
  testDir: resolve(UI_TESTS, 'bench'),
  testMatch: '*.bench.ts',
  timeout: 900_000,
  retries: 0,
  reporter: 'line',
  use: { ...tests.use, trace: 'off' }
});
