import { defineConfig, type TestProjectConfiguration } from 'vitest/config';

const domainTests = ['tests/domain/**/*.test.ts', 'tests/db/**/*.test.ts'];

const project = (
  name: string,
  include: string[],
  env: Record<string, string> = {},
): TestProjectConfiguration => ({
  extends: true,
  test: {
    name,
    include,
    env,
    pool: 'forks',
    setupFiles: ['./tests/support/setup.ts'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});

export default defineConfig(async () => {
  const { ensureCertificates } = await import('./sandbox/steam/certificates.ts');
  const certificates = await ensureCertificates('node_modules/.cache/keepsake-test-ca');
  // Node reads it when a process starts: it has to stand before the workers are forked.
  process.env.NODE_EXTRA_CA_CERTS = certificates.caFile;
  return {
    test: {
      projects: [
        project('domain-sqlite', domainTests),
        project('domain-postgres', domainTests, { DATABASE_URL: 'postgres://in-process' }),
        project('app', ['tests/app/**/*.test.{ts,tsx}']),
        project('bot', ['tests/bot/**/*.test.ts']),
        project('sandbox', ['tests/sandbox/**/*.test.ts']),
        project('project', ['tests/*.test.ts', 'tests/races/**/*.test.ts']),
      ],
    },
  };
});
