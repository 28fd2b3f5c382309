// npm test: everything that decides whether a change may stand, in one go. Its last line counts what passed and failed.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const reports = mkdtempSync(join(tmpdir(), 'keepsake-reports-'));
const unitReport = join(reports, 'unit.json');
const endToEndReport = join(reports, 'e2e.json');

interface Step {
  name: string;
  run: string[];
  environment?: Record<string, string>;
  /** How many passed and failed, by the step's own report; without one the step itself counts. */
  count?: () => { passed: number; failed: number };
}

const steps: Step[] = [
  { name: 'lint', run: ['npm', 'run', '--silent', 'lint'] },
  { name: 'typecheck', run: ['npm', 'run', '--silent', 'typecheck'] },
  { name: 'build', run: ['npm', 'run', '--silent', 'build'] },
  {
    name: 'unit tests',
    run: ['npx', 'vitest', 'run', '--reporter=default', '--reporter=json', `--outputFile.json=${unitReport}`],
    count: () => {
      const report = JSON.parse(readFileSync(unitReport, 'utf8'));
      return { passed: report.numPassedTests, failed: report.numFailedTests };
    },
  },
  {
    name: 'end-to-end tests',
    run: ['npx', 'playwright', 'test', '--reporter=list,json'],
    environment: { PLAYWRIGHT_JSON_OUTPUT_FILE: endToEndReport },
    count: () => {
      const { stats } = JSON.parse(readFileSync(endToEndReport, 'utf8'));
      return { passed: stats.expected + stats.flaky, failed: stats.unexpected };
    },
  },
];

let passed = 0;
let failed = 0;
for (const step of steps) {
  const startedAtMs = Date.now();
  const [program = '', ...args] = step.run;
  const ended = spawnSync(program, args, { stdio: 'inherit', env: { ...process.env, ...step.environment } });
  const counted = countOf(step, ended.status === 0);
  passed += counted.passed;
  failed += counted.failed;
  const seconds = Math.round((Date.now() - startedAtMs) / 1000);
  console.log(`${step.name}: ${ended.status === 0 ? 'ok' : 'FAILED'} after ${seconds} s\n`);
}
rmSync(reports, { recursive: true, force: true });
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);

/** A step that failed without a failed test in its report, or without a report, failed as a whole. */
function countOf(step: Step, isOk: boolean): { passed: number; failed: number } {
  const whole = { passed: isOk ? 1 : 0, failed: isOk ? 0 : 1 };
  try {
    const counted = step.count?.() ?? whole;
    return isOk || counted.failed > 0 ? counted : { ...counted, failed: 1 };
  } catch {
    return { passed: 0, failed: 1 };
  }
}
