import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

/** The result of tests. */
export interface Outcome {
  passed: number;
  /** The failures: tests by file and title, with the reason if the report has it, or a whole step. */
  failures: string[];
}

/** One command of a test run. */
export interface Step {
  name: string;
  run: string[];
  environment?: Record<string, string>;
  /** Reads the step's own report; without one the step itself counts. */
  outcome?: () => Outcome;
}

export const npmRun = (script: string) => ['npm', 'run', '--silent', script];

/** The Vitest command with a report for `vitestOutcome`. */
export const vitestRun = (reportFile: string, ...args: string[]) => [
  ...['npx', 'vitest', 'run', '--reporter=default', '--reporter=./tests/support/stuck-workers.ts'],
  ...['--reporter=json', `--outputFile.json=${reportFile}`],
  ...args,
];

interface VitestReport {
  numPassedTests: number;
  testResults: {
    name: string;
    status: string;
    message: string;
    assertionResults: { fullName: string; status: string; failureMessages: string[] }[];
  }[];
}

/** A file that failed without a failed test, as one that could not be loaded does, is itself a failure. */
export const vitestOutcome = (reportFile: string) => (): Outcome => {
  const report: VitestReport = JSON.parse(readFileSync(reportFile, 'utf8'));
  const failures = report.testResults.flatMap(({ name, status, message, assertionResults }) => {
    const file = relative(process.cwd(), name);
    const failed = assertionResults.filter((test) => test.status === 'failed');
    if (failed.length > 0)
      return failed.map(
        ({ fullName, failureMessages }) => `${file} › ${fullName}${reasonIn(failureMessages)}`,
      );
    return status === 'failed' ? [`${file}${reasonIn([message])}`] : [];
  });
  return { passed: report.numPassedTests, failures };
};

const REASON_LINES = 8;

/** The beginning of a failure's message, below its test: often only the end of a run's output is kept. */
const reasonIn = ([message = '']: readonly string[]): string =>
  stripVTControlCharacters(message)
    .split('\n')
    .filter((line) => line.trim())
    .slice(0, REASON_LINES)
    .map((line) => `\n    ${line.slice(0, 300)}`)
    .join('');

interface PlaywrightTest {
  projectName: string;
  status: string;
  results: { errors: { message?: string }[] }[];
}

interface PlaywrightSuite {
  specs: { file: string; title: string; tests: PlaywrightTest[] }[];
  suites?: PlaywrightSuite[];
}

const messagesOf = (results: PlaywrightTest['results']): string[] =>
  results.flatMap(({ errors }) => errors.map(({ message = '' }) => message));

const failuresIn = ({ specs, suites = [] }: PlaywrightSuite): string[] => [
  ...specs.flatMap(({ file, title, tests }) =>
    tests
      .filter(({ status }) => status === 'unexpected')
      .map(
        ({ projectName, results }) => `${file} › ${title} (${projectName})${reasonIn(messagesOf(results))}`,
      ),
  ),
  ...suites.flatMap(failuresIn),
];

/** Playwright's tests, of the projects and with the options that `args` name. */
export const browserTests = (name: string, reportFile: string, args: string[]): Step => ({
  name,
  run: ['npx', 'playwright', 'test', '--reporter=list,json', ...args],
  environment: { PLAYWRIGHT_JSON_OUTPUT_FILE: reportFile },
  outcome: () => {
    const report: { stats: { expected: number; flaky: number }; suites: PlaywrightSuite[] } = JSON.parse(
      readFileSync(reportFile, 'utf8'),
    );
    return {
      passed: report.stats.expected + report.stats.flaky,
      failures: report.suites.flatMap(failuresIn),
    };
  },
});

/** Runs all steps in order, whether or not each succeeds. */
export async function runSteps(steps: readonly Step[]): Promise<Outcome> {
  const outcomes: Outcome[] = [];
  for (const step of steps) {
    const startedAtMs = Date.now();
    const isOk = await succeeds(step);
    outcomes.push(outcomeOf(step, isOk));
    const seconds = Math.round((Date.now() - startedAtMs) / 1000);
    console.log(`${step.name}: ${isOk ? 'ok' : 'FAILED'} after ${seconds} s\n`);
  }
  return joined(outcomes);
}

export const joined = (outcomes: readonly Outcome[]): Outcome => ({
  passed: outcomes.reduce((sum, { passed }) => sum + passed, 0),
  failures: outcomes.flatMap(({ failures }) => failures),
});

/** Names the failures, prints the summary and exits; with 0 if nothing failed. */
export function close({ passed, failures }: Outcome): never {
  for (const failure of failures) console.log(`FAILED: ${failure}`);
  console.log(`${passed} passed, ${failures.length} failed`);
  process.exit(failures.length === 0 ? 0 : 1);
}

async function succeeds({ run: [program = '', ...args], environment }: Step): Promise<boolean> {
  const child = spawn(program, args, { stdio: 'inherit', env: { ...process.env, ...environment } });
  const [status] = await once(child, 'close');
  return status === 0;
}

/** A step that failed without a failed test in its report, or without a report, is itself a failure. */
function outcomeOf({ name, outcome }: Step, isOk: boolean): Outcome {
  const whole = { passed: isOk ? 1 : 0, failures: isOk ? [] : [name] };
  try {
    const reported = outcome?.() ?? whole;
    return isOk || reported.failures.length > 0 ? reported : { ...reported, failures: [name] };
  } catch {
    return { passed: 0, failures: [name] };
  }
}
