// npm test: everything that decides whether a change may stand, in one go. Its last line counts what passed and failed.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
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

const npmRun = (script: string) => ['npm', 'run', '--silent', script];
// The routes' types are made once: who makes them anew takes them away first.
const typegen: Step = { name: 'types of routes', run: npmRun('typegen') };
const typecheck: Step = { name: 'typecheck', run: ['npx', 'tsc', '--noEmit'] };
const lint: Step = { name: 'lint', run: npmRun('lint:files') };
const build: Step = { name: 'build', run: npmRun('build') };
const unitTests: Step = {
  name: 'unit tests',
  run: ['npx', 'vitest', 'run', '--reporter=default', '--reporter=json', `--outputFile.json=${unitReport}`],
  count: () => {
    const report = JSON.parse(readFileSync(unitReport, 'utf8'));
    return { passed: report.numPassedTests, failed: report.numFailedTests };
  },
};
const endToEndTests: Step = {
  name: 'end-to-end tests',
  run: ['npx', 'playwright', 'test', '--reporter=list,json'],
  environment: { PLAYWRIGHT_JSON_OUTPUT_FILE: endToEndReport },
  count: () => {
    const { stats } = JSON.parse(readFileSync(endToEndReport, 'utf8'));
    return { passed: stats.expected + stats.flaky, failed: stats.unexpected };
  },
};

let passed = 0;
let failed = 0;
await take([typegen]);
await Promise.all([take([typecheck]), take([lint, build])]);
await take([unitTests, endToEndTests]);
rmSync(reports, { recursive: true, force: true });
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);

/** Takes steps one after the other, whatever becomes of each. */
async function take(steps: readonly Step[]): Promise<void> {
  for (const step of steps) {
    const startedAtMs = Date.now();
    const isOk = await run(step);
    const counted = countOf(step, isOk);
    passed += counted.passed;
    failed += counted.failed;
    const seconds = Math.round((Date.now() - startedAtMs) / 1000);
    console.log(`${step.name}: ${isOk ? 'ok' : 'FAILED'} after ${seconds} s\n`);
  }
}

async function run({ run: [program = '', ...args], environment }: Step): Promise<boolean> {
  const child = spawn(program, args, { stdio: 'inherit', env: { ...process.env, ...environment } });
  const [status] = await once(child, 'close');
  return status === 0;
}

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
