import { defineConfig, type TestProjectConfiguration } from 'vitest/config';

const domainTests = ['tests/domain/**/*.test.ts', 'tests/db/**/*.test.ts'];

const project = (
  name: string,
  include: string[],
  settings: { env?: Record<string, string>; isolate?: boolean } = {},
): TestProjectConfiguration => ({
  extends: true,
  test: {
    name,
    include,
    ...settings,
    pool: 'forks',
    setupFiles: ['./tests/support/setup.ts'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});

/** One process for many files: starting PostgreSQL's code takes longer than most of them. Each test has its own store. */
const domain = (name: string, env: Record<string, string> = {}) =>
  project(name, domainTests, { env, isolate: false });

export default defineConfig(async () => {
  const { ensureCertificates } = await import('./sandbox/steam/certificates.ts');
  const certificates = await ensureCertificates('node_modules/.cache/keepsake-test-ca');
  // Node reads it when a process starts: it has to stand before the workers are forked.
  process.env.NODE_EXTRA_CA_CERTS = certificates.caFile;
  return {
    test: {
      projects: [
        domain('domain-sqlite'),
        domain('domain-postgres', { DATABASE_URL: 'postgres://in-process' }),
        project('app', ['tests/app/**/*.test.{ts,tsx}']),
        project('bot', ['tests/bot/**/*.test.ts']),
        project('sandbox', ['tests/sandbox/**/*.test.ts']),
        project('project', ['tests/*.test.ts', 'tests/cli/**/*.test.ts', 'tests/races/**/*.test.ts']),
      ],
    },
  };
});
