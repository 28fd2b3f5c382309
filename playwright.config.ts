import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from '@playwright/test';
import { findBrowser } from '#tests/support/browser.ts';
import { findFreePorts } from '#tests/support/free-ports.ts';

// Workers read this file again, and have to use the ports that the first process chose.
process.env.E2E_FIRST_PORT ??= String(await findFreePorts(10));
process.env.E2E_DATA ??= join(tmpdir(), `keepsake-e2e-${process.pid}`);
const firstPort = Number(process.env.E2E_FIRST_PORT);
const productUrl = `http://localhost:${firstPort}`;
const playing = ['clicks.spec.ts', 'conditions.spec.ts', 'evening.spec.ts', 'loop.spec.ts'];
const paying = ['billing.spec.ts'];
const walking = ['layout-shift.spec.ts', 'walk.spec.ts'];
/** Looked at by both, and in the walk more closely. */
const looking = ['boxes.spec.ts'];

export default defineConfig({
  testDir: 'tests/e2e',
  // These limits only end a hanging test: a machine under load takes several times as long as a quiet one.
  timeout: 600_000,
  expect: { timeout: 60_000 },
  // Tests within a project run one after the other. Two projects run beside each other: those that move the
  // world's clock or play its people, and those that only look at pages.
  workers: 2,
  projects: [
    { name: 'world', testMatch: playing, workers: 1 },
    { name: 'pages', testMatch: '*.spec.ts', testIgnore: [...playing, ...paying, ...walking], workers: 1 },
    { name: 'walk', testMatch: [...walking, ...looking], workers: 1 },
    // Runs after those whose promises, offers and sessions would run out, because it moves the clock by
    // months.
    { name: 'months', testMatch: paying, dependencies: ['world', 'walk'], workers: 1 },
  ],
  forbidOnly: Boolean(process.env.CI),
  globalSetup: './tests/e2e/await-world.ts',
  globalTeardown: './tests/e2e/remove-world.ts',
  use: {
    baseURL: productUrl,
    launchOptions: await findBrowser(),
    locale: 'en-US',
    actionTimeout: 60_000,
    navigationTimeout: 60_000,
    // Pictures and copies of the page at each step would take longer than the step.
    trace: { mode: 'retain-on-failure', screenshots: false, snapshots: false },
    screenshot: 'only-on-failure',
  },
  webServer: {
    command: 'node build/start.js',
    url: `${productUrl}/healthz`,
    timeout: 180_000,
    gracefulShutdown: { signal: 'SIGTERM', timeout: 20_000 },
    stdout: 'ignore',
    env: {
      PORT: String(firstPort),
      BOT_PORT: String(firstPort + 1),
      BOT_URL: `http://127.0.0.1:${firstPort + 1}`,
      PUBLIC_URL: productUrl,
      SANDBOX_PORTS_FROM: String(firstPort + 2),
      KEEPSAKE_DATA_DIR: process.env.E2E_DATA,
      LOG_LEVEL: 'warn',
      OPERATOR_ACCOUNT: 'demo-viewer-10@example.org',
    },
  },
});
