import { defineConfig } from 'vitest/config';

/** What is too slow for `npm test`; each file says how long it takes and what it needs of the machine. */
export default defineConfig({
  test: {
    include: ['tests/deep/**/*.test.ts'],
    pool: 'forks',
    fileParallelism: false,
    testTimeout: 15 * 60_000,
    hookTimeout: 15 * 60_000,
  },
});
