import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';

export interface Counts {
  passed: number;
  failed: number;
}

/** One command of a test run. */
export interface Step {
  name: string;
  run: string[];
  environment?: Record<string, string>;
  /** Counts from the step's own report; without one the step itself counts. */
  count?: () => Counts;
}

export const npmRun = (script: string) => ['npm', 'run', '--silent', script];

/** The Vitest command with a report for `vitestCounts`. */
export const vitestRun = (reportFile: string, ...args: string[]) => [
  ...['npx', 'vitest', 'run', '--reporter=default', '--reporter=json', `--outputFile.json=${reportFile}`],
  ...args,
];

export const vitestCounts = (reportFile: string) => (): Counts => {
  const report = JSON.parse(readFileSync(reportFile, 'utf8'));
  return { passed: report.numPassedTests, failed: report.numFailedTests };
};

/** Playwright's tests, of the projects and with the options that `args` name. */
export const browserTests = (name: string, reportFile: string, args: string[]): Step => ({
  name,
  run: ['npx', 'playwright', 'test', '--reporter=list,json', ...args],
  environment: { PLAYWRIGHT_JSON_OUTPUT_FILE: reportFile },
  count: () => {
    const { stats } = JSON.parse(readFileSync(reportFile, 'utf8'));
    return { passed: stats.expected + stats.flaky, failed: stats.unexpected };
  },
});

/** Runs all steps in order, whether or not each succeeds, and adds up their counts. */
export async function runSteps(steps: readonly Step[]): Promise<Counts> {
  const total: Counts = { passed: 0, failed: 0 };
  for (const step of steps) {
    const startedAtMs = Date.now();
    const isOk = await succeeds(step);
    const counted = countOf(step, isOk);
    total.passed += counted.passed;
    total.failed += counted.failed;
    const seconds = Math.round((Date.now() - startedAtMs) / 1000);
    console.log(`${step.name}: ${isOk ? 'ok' : 'FAILED'} after ${seconds} s\n`);
  }
  return total;
}

export const sumOf = (counts: readonly Counts[]): Counts => ({
  passed: counts.reduce((sum, { passed }) => sum + passed, 0),
  failed: counts.reduce((sum, { failed }) => sum + failed, 0),
});

/** Prints the summary and exits; with 0 if nothing failed. */
export function close({ passed, failed }: Counts): never {
  console.log(`${passed} passed, ${failed} failed`);
  process.exit(failed === 0 ? 0 : 1);
}

async function succeeds({ run: [program = '', ...args], environment }: Step): Promise<boolean> {
  const child = spawn(program, args, { stdio: 'inherit', env: { ...process.env, ...environment } });
  const [status] = await once(child, 'close');
  return status === 0;
}

/** A step that failed without a failed test in its report, or without a report, counts as one failure. */
function countOf(step: Step, isOk: boolean): Counts {
  const whole = { passed: isOk ? 1 : 0, failed: isOk ? 0 : 1 };
  try {
    const counted = step.count?.() ?? whole;
    return isOk || counted.failed > 0 ? counted : { ...counted, failed: 1 };
  } catch {
    return { passed: 0, failed: 1 };
  }
}
