// npm run test:deep: checks too slow for `npm test`: the unit tests on the recommended Node, tests/deep, and in the
// browser the walk over all pages and a payer's months. The last lines name what failed and count.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runtimes, testOnRuntime } from './testing/runtimes.ts';
import { browserTests, close, joined, npmRun, runSteps, vitestOutcome, vitestRun } from './testing/steps.ts';

const reports = mkdtempSync(join(tmpdir(), 'keepsake-reports-'));
const deepReport = join(reports, 'deep.json');

const outcomes = [
  await testOnRuntime(runtimes[24]),
  await runSteps([
    {
      name: 'deep tests',
      run: vitestRun(deepReport, '--config', 'vitest.deep.config.ts'),
      outcome: vitestOutcome(deepReport),
    },
    { name: 'build', run: npmRun('build') },
    // One after the other: the months move the clock by months, which would sign the walk's people out.
    browserTests('walk and months', join(reports, 'browser.json'), [
      '--project=walk',
      '--project=months',
      '--no-deps',
      '--workers=1',
    ]),
  ]),
];
rmSync(reports, { recursive: true, force: true });
close(joined(outcomes));
