import { defineConfig, type TestProjectConfiguration } from 'vitest/config';
import { QuickFirst } from './tests/mutants/quick-first.ts';
import { PATIENCE_MS } from './tests/support/patience.ts';

const project = (name: string, include: string[], setupFiles: string[] = []): TestProjectConfiguration => ({
  extends: true,
  test: {
    name,
    include,
    setupFiles: ['./tests/mutants/load-unmutated.ts', ...setupFiles, './tests/support/setup.ts'],
    css: { include: [/\.css\?url$/] },
  },
});

/** The tests that `npm run mutants` may run, on SQLite. */
export default defineConfig({
  test: {
    globalSetup: ['./tests/support/run-folder.ts'],
    isolate: false,
    fileParallelism: false,
    sequence: { sequencer: QuickFirst },
    testTimeout: 4 * PATIENCE_MS,
    hookTimeout: 4 * PATIENCE_MS,
    expect: { poll: { timeout: PATIENCE_MS } },
    projects: [
      project('domain', ['tests/domain/**/*.test.ts']),
      project('bot', ['tests/bot/**/*.test.ts'], ['./tests/support/fresh-modules.ts']),
      project('app', ['tests/{app,billing}/**/*.test.{ts,tsx}'], ['./tests/support/fresh-modules.ts']),
    ],
  },
});
