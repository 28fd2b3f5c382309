import { defineConfig } from 'vitest/config';

/**
 * Tests that are too slow for `npm test`. Each file says how long it takes and what it needs from the
 * machine.
 */
export default defineConfig(async () => {
  const { ensureCertificates } = await import('./sandbox/steam/certificates.ts');
  const certificates = await ensureCertificates('node_modules/.cache/keepsake-test-ca');
  // Set before the workers are forked, because Node reads it when a process starts.
  process.env.NODE_EXTRA_CA_CERTS = certificates.caFile;
  return {
    test: {
      name: 'deep',
      globalSetup: ['./tests/support/run-folder.ts'],
      experimental: { fsModuleCache: true },
      include: ['tests/deep/**/*.test.ts'],
      pool: 'forks',
      maxWorkers: 2,
      testTimeout: 15 * 60_000,
      hookTimeout: 15 * 60_000,
    },
  };
});
