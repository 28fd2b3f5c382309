import { defineConfig } from 'vitest/config';

const setup = ['./tests/support/setup.ts'];
const shared = { pool: 'forks', setupFiles: setup, testTimeout: 30_000, hookTimeout: 30_000 } as const;
const domainTests = ['tests/domain/**/*.test.ts', 'tests/db/**/*.test.ts'];

export default defineConfig(async () => {
  const { ensureCertificates } = await import('./sandbox/steam/certificates.ts');
  const certificates = await ensureCertificates('node_modules/.cache/keepsake-test-ca');
  // Node reads it when a process starts: it has to stand before the workers are forked.
  process.env.NODE_EXTRA_CA_CERTS = certificates.caFile;
  return {
    test: {
      projects: [
        { extends: true, test: { ...shared, name: 'domain-sqlite', include: domainTests } },
        {
          extends: true,
          test: {
            ...shared,
            name: 'domain-postgres',
            include: domainTests,
            env: { DATABASE_URL: 'postgres://in-process' },
          },
        },
        { extends: true, test: { ...shared, name: 'app', include: ['tests/app/**/*.test.{ts,tsx}'] } },
        { extends: true, test: { ...shared, name: 'bot', include: ['tests/bot/**/*.test.ts'] } },
        { extends: true, test: { ...shared, name: 'sandbox', include: ['tests/sandbox/**/*.test.ts'] } },
        {
          extends: true,
          test: { ...shared, name: 'project', include: ['tests/*.test.ts', 'tests/races/**/*.test.ts'] },
        },
      ],
    },
  };
});
