// npm test: every check a change must pass. The last line counts passed and failed tests.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { close, npmRun, runSteps, type Step, sumOf, vitestCounts, vitestRun } from './testing/steps.ts';

const reports = mkdtempSync(join(tmpdir(), 'keepsake-reports-'));
const unitReport = join(reports, 'unit.json');
const endToEndReport = join(reports, 'e2e.json');

// Route types are generated once, up front: each run of typegen deletes them before writing them again.
const typegen: Step = { name: 'types of routes', run: npmRun('typegen') };
const typecheck: Step = { name: 'typecheck', run: ['npx', 'tsc', '--noEmit'] };
const lint: Step = { name: 'lint', run: npmRun('lint:files') };
const build: Step = { name: 'build', run: npmRun('build') };
const unitTests: Step = { name: 'unit tests', run: vitestRun(unitReport), count: vitestCounts(unitReport) };
const endToEndTests: Step = {
  name: 'end-to-end tests',
  run: ['npx', 'playwright', 'test', '--reporter=list,json'],
  environment: { PLAYWRIGHT_JSON_OUTPUT_FILE: endToEndReport },
  count: () => {
    const { stats } = JSON.parse(readFileSync(endToEndReport, 'utf8'));
    return { passed: stats.expected + stats.flaky, failed: stats.unexpected };
  },
};

const counts = [
  await runSteps([typegen]),
  ...(await Promise.all([runSteps([typecheck]), runSteps([lint, build])])),
  await runSteps([unitTests, endToEndTests]),
];
rmSync(reports, { recursive: true, force: true });
close(sumOf(counts));
