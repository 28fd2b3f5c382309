import type { Reporter, TestCase, TestModule } from 'vitest/node';

/** The work that custody has to get right in every shape of Steam's answers. */
const deeds = ['claim', 'deposit', 'return', 'reversal', 'restart'] as const;
export type Deed = (typeof deeds)[number];

/** The title of a test of these deeds in one dialect. */
export const titleOf = (of: readonly Deed[], dialect: string): string =>
  `If Steam says: ${dialect}, custody holds: ${of.join(', ')}`;

const title = /^If Steam says: (.+), custody holds: (.+)$/;

/** Prints a table of the tests with such titles: dialect × deed → result. */
export default class DialectTable implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const tests = modules.flatMap((each) => [...each.children.allTests()]);
    const dialects = new Map<string, Map<string, string>>();
    for (const test of tests) {
      const [, dialect, of] = title.exec(test.name) ?? [];
      if (!dialect || !of) continue;
      const row = dialects.get(dialect) ?? new Map<string, string>();
      for (const deed of of.split(', ')) row.set(deed, resultOf(test));
      dialects.set(dialect, row);
    }
    const lines = [...dialects].map(([dialect, row]) =>
      [dialect, ...deeds.map((deed) => row.get(deed) ?? 'not run')].join(' | '),
    );
    const head = ['dialect', ...deeds].join(' | ');
    process.stdout.write(`| ${head} |\n|${'---|'.repeat(deeds.length + 1)}\n`);
    for (const line of lines) process.stdout.write(`| ${line} |\n`);
    for (const test of tests)
      for (const error of test.result().errors ?? [])
        process.stdout.write(`${test.name}: ${error.stack ?? error.message}\n`);
  }
}

const resultOf = (test: TestCase): string =>
  ({ passed: 'ok', failed: 'FAILED', skipped: 'skipped', pending: 'not run' })[test.result().state];
