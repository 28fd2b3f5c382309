import { defineConfig, type TestProjectConfiguration } from 'vitest/config';
import { QuickFirst } from './tests/mutants/quick-first.ts';
import { PATIENCE_MS } from './tests/support/patience.ts';

const project = (name: string, include: string[], setupFiles: string[] = []): TestProjectConfiguration => ({
  extends: true,
  test: {
    name,
    include,
    setupFiles: ['./tests/mutants/load-unmutated.ts', ...setupFiles, './tests/support/setup.ts'],
  },
});

/** What `npm run mutants` may run: the tests of the domain, on SQLite, and those of the Steam bots. */
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
      project('steam', ['tests/bot/steam/**/*.test.ts'], ['./tests/support/fresh-modules.ts']),
    ],
  },
});
