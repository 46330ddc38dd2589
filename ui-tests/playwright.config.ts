import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';

import { defineConfig } from '@playwright/test';

import { serverCommand, UI_TESTS } from './server';

// Unlikely to be taken, and below the range from which systems hand out ports.
const PORT = Number(process.env.BCC_UI_TEST_PORT ?? 28417);
// Two runs at a time need a port and a folder each.
const OUTPUT = process.env.BCC_UI_TEST_OUTPUT ?? UI_TESTS;
const RESULTS =
  process.env.BCC_UI_TEST_OUTPUT ?? resolve(UI_TESTS, '../.make/results');

const server = serverCommand(PORT);

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
  // A second try is reported as flaky, never silently: one slow start must not hide the rest.
  retries: 1,
  workers: 1,
  reporter: [
    ['list'],
    ['json', { outputFile: resolve(RESULTS, 'browser.json') }],
    [
      'html',
      { open: 'never', outputFolder: resolve(OUTPUT, 'playwright-report') }
    ]
  ],
  use: {
    baseURL: server.url,
    viewport: { width: 1280, height: 800 },
    trace: 'retain-on-failure',
    // Recording needs an ffmpeg that only Playwright's own browsers bring along.
    video: 'off',
    launchOptions: {
      executablePath: findChromium(),
      args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu']
    }
  },
  webServer: {
    command: [server.command, ...server.args].join(' '),
    env: server.env,
    url: `${server.url}/lab`,
    timeout: 120_000,
    reuseExistingServer: false
  }
});
