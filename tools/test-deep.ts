// npm run test:deep: checks too slow for `npm test`: races of processes, those that may differ on the recommended Node,
// tests/deep, and in the browser the walk over all pages and a payer's months. The last lines name the failures and count.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runtimes, testOnRuntime } from './testing/runtimes.ts';
import {
  browserTests,
  close,
  joined,
  runSteps,
  type Step,
  vitestOutcome,
  vitestRun,
} from './testing/steps.ts';

const reports = mkdtempSync(join(tmpdir(), 'keepsake-reports-'));

const vitest = (name: string, ...args: string[]): Step => {
  const report = join(reports, `${name}.json`);
  return { name, run: vitestRun(report, ...args), outcome: vitestOutcome(report) };
};
const races = vitest('races', '--project=races');
/** As `npm test` has it on a machine without the programs of a server. */
const withoutServer: Step = {
  // An upgrade of every step takes minutes there, and says nothing that a server does not.
  ...vitest(
    'without a server',
    '--project=domain-postgres',
    '--exclude=**/every-upgrade.test.ts',
    'tests/db/',
  ),
  environment: { TEST_POSTGRES_URL: '' },
};
const deep = vitest('deep tests', '--config', 'vitest.deep.config.ts');
// One after the other: the months move the clock by months, which would sign the walk's people out.
const browser = browserTests('walk and months', join(reports, 'browser.json'), [
  '--project=walk',
  '--project=months',
  '--no-deps',
  '--workers=1',
]);

// After `npm test` there is nothing to build.
const built = await runSteps([{ name: 'build', run: ['npx', 'tsx', 'tools/build-when-stale.ts'] }]);
// Side by side, because much of the browser's time, and of deaths and new starts, is waiting.
const outcomes = await Promise.all([
  runSteps([browser]),
  runSteps([races, withoutServer]).then(async (outcome) =>
    joined([outcome, await testOnRuntime(runtimes[24])]),
  ),
  runSteps([deep]),
]);
rmSync(reports, { recursive: true, force: true });
close(joined([built, ...outcomes]));
