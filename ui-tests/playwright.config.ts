import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';

import { defineConfig } from '@playwright/test';

import { UI_TESTS } from './server';

// Two runs at a time need a port and a folder each.
const OUTPUT = process.env.BCC_UI_TEST_OUTPUT ?? UI_TESTS;
const RESULTS =
  process.env.BCC_UI_TEST_OUTPUT ?? resolve(UI_TESTS, '../.make/results');

function findChromium(): string {
  const names = ['chromium', 'chromium-browser', 'google-chrome'];
  const found = execFileSync(
    'sh',
    ['-c', `command -v ${names.join(' || command -v ')}`],
    { encoding: 'utf8' }
  );
  return found.trim();
}

export default defineConfig({
  testDir: resolve(UI_TESTS, 'tests'),
  outputDir: resolve(OUTPUT, 'test-results'),
  timeout: 60_000,
  expect: { timeout: 20_000 },
  forbidOnly: true,
  retries: 0,
  // Each has a server of its own (`fixtures.ts`).
  workers: Number(process.env.BCC_UI_TEST_WORKERS ?? 2),
  reporter: [
    ['list'],
    ['json', { outputFile: resolve(RESULTS, 'browser.json') }],
    [
      'html',
      { open: 'never', outputFolder: resolve(OUTPUT, 'playwright-report') }
    ]
  ],
  use: {
    viewport: { width: 1280, height: 800 },
    // What was done, without a picture of the page around every step: those took a third of the
    // time of the tests. The page as it was at the failure tells most.
    trace: {
      mode: 'retain-on-failure',
      snapshots: false,
      screenshots: false,
      sources: false
    },
    screenshot: 'only-on-failure',
    // Recording needs an ffmpeg that only Playwright's own browsers bring along.
    video: 'off',
    launchOptions: {
      executablePath: findChromium(),
      args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu']
    }
  }
});
