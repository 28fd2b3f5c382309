import { availableParallelism } from 'node:os';
import { defineConfig, type TestProjectConfiguration } from 'vitest/config';
import { PATIENCE_MS } from './tests/support/patience.ts';
import { SlowFirst } from './tests/support/slow-first.ts';

const domainTests = ['tests/domain/**/*.test.ts', 'tests/db/**/*.test.ts'];

interface ProjectSettings {
  env?: Record<string, string>;
  setupFiles?: string[];
  maxWorkers?: number;
  sequence?: { groupOrder: number };
}

const project = (
  name: string,
  include: string[],
  settings: ProjectSettings = {},
): TestProjectConfiguration => ({
  extends: true,
  test: {
    name,
    include,
    pool: 'forks',
    // Many files run in one process, because loading the packages takes longer than most of them.
    isolate: false,
    setupFiles: ['./tests/support/fresh-modules.ts', './tests/support/setup.ts'],
    // Most objects live for one test: with more room for young ones the collector copies less.
    execArgv: ['--max-semi-space-size=64'],
    // Half of the work of these tests is waiting: for answers, turns and timers of the packages.
    maxWorkers: 2 * availableParallelism(),
    sequence: { groupOrder: 1 },
    ...settings,
    // A style sheet that a component links has an address here too.
    css: { include: [/\.css\?url$/] },
    // A test that waits for a state ends when the state is there; these limits only end a hanging one.
    testTimeout: 4 * PATIENCE_MS,
    hookTimeout: 4 * PATIENCE_MS,
    expect: { poll: { timeout: PATIENCE_MS } },
  },
});

/**
 * Files share our own modules too, so that the next one uses a PostgreSQL store that another has made, once
 * it is empty.
 */
const domain = (name: string, env: Record<string, string> = {}) =>
  project(name, domainTests, {
    env,
    setupFiles: ['./tests/support/setup.ts'],
    // These tests only compute; and each process makes PostgreSQL stores of its own.
    maxWorkers: availableParallelism(),
    sequence: { groupOrder: 0 },
  });

const onPostgres = { DATABASE_URL: 'postgres://in-process' };
const plans = (name: string, include: string[], env: Record<string, string> = {}) =>
  project(name, include, { env, sequence: { groupOrder: 2 } });

export default defineConfig(async () => {
  const { ensureCertificates } = await import('./sandbox/steam/certificates.ts');
  const certificates = await ensureCertificates('node_modules/.cache/keepsake-test-ca');
  // Set before the workers are forked, because Node reads it when a process starts.
  process.env.NODE_EXTRA_CA_CERTS = certificates.caFile;
  return {
    test: {
      globalSetup: ['./tests/support/run-folder.ts'],
      // A module is transformed once, for all projects and later runs: keyed by its content, emptied with a new lock file.
      experimental: { fsModuleCache: true },
      sequence: { sequencer: SlowFirst },
      projects: [
        domain('domain-sqlite'),
        domain('domain-postgres', onPostgres),
        project('app', ['tests/{app,billing}/**/*.test.{ts,tsx}']),
        project('bot', ['tests/bot/**/*.test.ts']),
        project('sandbox', ['tests/sandbox/**/*.test.ts']),
        // These check the statements that the tests of all other projects have run.
        plans('plans-sqlite', ['tests/plans/sqlite-plans.test.ts', 'tests/plans/seeded-store.test.ts']),
        plans('plans-postgres', ['tests/plans/postgres-plans.test.ts'], onPostgres),
        project('project', ['tests/*.test.ts', 'tests/{cli,extension,platform}/**/*.test.ts']),
        project('races', ['tests/races/**/*.test.ts']),
      ],
    },
  };
});
