// npm run test:deep: checks too slow for `npm test`: the unit tests on the recommended Node, and tests/deep. The last
// line counts passed and failed tests.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runtimes, testOnRuntime } from './testing/runtimes.ts';
import { close, runSteps, sumOf, vitestCounts, vitestRun } from './testing/steps.ts';

const reports = mkdtempSync(join(tmpdir(), 'keepsake-reports-'));
const deepReport = join(reports, 'deep.json');

const counts = [
  await testOnRuntime(runtimes[24]),
  await runSteps([
    {
      name: 'deep tests',
      run: vitestRun(deepReport, '--config', 'vitest.deep.config.ts'),
      count: vitestCounts(deepReport),
    },
  ]),
];
rmSync(reports, { recursive: true, force: true });
close(sumOf(counts));
