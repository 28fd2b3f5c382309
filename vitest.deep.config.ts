import { defineConfig } from 'vitest/config';

/**
 * Tests that are too slow for `npm test`. Each file says how long it takes and what it needs from the
 * machine.
 */
export default defineConfig({
  test: {
    include: ['tests/deep/**/*.test.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 15 * 60_000,
    hookTimeout: 15 * 60_000,
  },
});
