// npm test: every check a change must pass. The last lines name the failures and count.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  browserTests,
  close,
  joined,
  npmRun,
  runSteps,
  type Step,
  vitestOutcome,
  vitestRun,
} from './testing/steps.ts';

const reports = mkdtempSync(join(tmpdir(), 'keepsake-reports-'));
const unitReport = join(reports, 'unit.json');

// Route types are generated once, up front: each run of typegen deletes them before writing them again.
const typegen: Step = { name: 'types of routes', run: npmRun('typegen') };
const typecheck: Step = { name: 'typecheck', run: npmRun('typecheck:files') };
const lint: Step = { name: 'lint', run: npmRun('lint:files') };
const build: Step = { name: 'build', run: npmRun('build') };
const unitTests: Step = {
  name: 'unit tests',
  run: vitestRun(unitReport, '--project=!races'),
  outcome: vitestOutcome(unitReport),
};
const endToEndTests = browserTests('end-to-end tests', join(reports, 'e2e.json'), [
  '--project=world',
  '--project=pages',
]);

const outcomes = [
  await runSteps([typegen]),
  ...(await Promise.all([runSteps([typecheck]), runSteps([lint, build])])),
  // Side by side each fills the other's pauses.
  ...(await Promise.all([runSteps([unitTests]), runSteps([endToEndTests])])),
];
rmSync(reports, { recursive: true, force: true });
close(joined(outcomes));
