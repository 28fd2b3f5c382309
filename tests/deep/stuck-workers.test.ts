// A test process that blocks, falls silent or dies fails what it was running, and nothing else. About half a minute.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { vitestOutcome } from '../../tools/testing/steps.ts';

/** No start of a process may take this long, even on a busy machine. */
const QUIET_MS = 12_000;
/** Also how long a blocked process lasts if nothing kills it. */
const DEADLINE_MS = 120_000;

const reporter = [resolve('tests/support/stuck-workers.ts'), { quietMs: QUIET_MS }];
const settings = { globals: true, pool: 'forks', isolate: false, maxWorkers: 2 };
const project = (name: string, groupOrder: number) => ({
  extends: true,
  test: { name, include: [`${name}/*.test.js`], sequence: { groupOrder } },
});

const passing = "test('passes', () => {});";
const blocking = `Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ${DEADLINE_MS});`;
/** A file that passes, in a process that does this when it is about to say that the file has ended. */
const thenDoes = (act: string) => `${passing}
  const send = process._send.bind(process);
  process._send = (...message) => {
    if (message[0]?.type !== 'testfileFinished') return send(...message);
    ${act}
  };`;
const silent = thenDoes('');

/** Runs Vitest over these files: the larger ones first, two at a time, and at the end those of the second folder. */
async function runOver(files: Record<string, string>) {
  const folder = mkdtempSync(join(tmpdir(), 'keepsake-stuck-'));
  const report = join(folder, 'report.json');
  const projects = [project('first', 0), project('second', 1)];
  const reporters = ['default', ['json', { outputFile: report }], reporter];
  const config = `export default ${JSON.stringify({ test: { ...settings, projects, reporters } })}`;
  for (const { test } of projects) mkdirSync(join(folder, test.name));
  for (const [name, content] of Object.entries({ ...files, 'vitest.config.mjs': config }))
    writeFileSync(join(folder, name), content);
  const child = spawn(process.execPath, [resolve('node_modules/vitest/vitest.mjs'), 'run'], {
    cwd: folder,
    timeout: DEADLINE_MS,
    killSignal: 'SIGKILL',
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const [errors, [status]] = await Promise.all([text(child.stderr), once(child, 'close')]);
  return { status, errors, outcome: vitestOutcome(report) };
}

test.concurrent('A file that blocks its process fails by name, and the files behind it run', async () => {
  const { status, errors, outcome } = await runOver({
    'first/in-test.test.js': `test('blocks', () => { ${blocking} });`,
    'first/while-loading.test.js': `${blocking} ${passing}`,
    'first/behind.test.js': passing,
    'second/later.test.js': passing,
  });
  expect(status, errors).toBe(1);
  const { passed, failures } = outcome();
  expect(passed).toBe(2);
  expect(failures.sort()).toEqual([
    expect.stringMatching('first/in-test.test.js\n    Nothing happened for 12 s'),
    expect.stringMatching('first/while-loading.test.js\n    Nothing happened for 12 s'),
  ]);
  for (const name of ['first/in-test.test.js', 'first/while-loading.test.js'])
    expect(errors).toMatch(new RegExp(`processes were killed \\(2\\): .+ not ended: .*\\[first\\] ${name}`));
});

test.concurrent('A process that does not say that its file has ended fails nothing', async () => {
  const { status, errors, outcome } = await runOver({
    'first/silent.test.js': silent,
    'first/as-silent.test.js': silent,
    'first/behind.test.js': passing,
    'second/later.test.js': passing,
  });
  expect(status, errors).toBe(0);
  expect(errors).toContain('processes were killed (2): every file that had begun had ended');
  expect(outcome()).toEqual({ passed: 4, failures: [] });
});

test.concurrent('A file that has not even begun in a killed process fails the run', async () => {
  const { status, errors, outcome } = await runOver({
    'first/silent.test.js': silent,
    'first/last-word.test.js': thenDoes('process._send = () => true; return send(...message);'),
    'first/behind.test.js': passing,
    'second/later.test.js': passing,
  });
  expect(status, errors).toBe(1);
  expect(errors).toContain('Not run to the end: [first] first/behind.test.js');
  expect(outcome()).toEqual({ passed: 3, failures: [] });
});

test.concurrent('Other errors fail a run in which a process was killed that ran no file', async () => {
  const { status, errors, outcome } = await runOver({
    'first/silent.test.js': silent,
    'second/dying.test.js': thenDoes("process.kill(process.pid, 'SIGKILL');"),
    'second/rejecting.test.js': thenDoes(
      "Promise.reject(new Error('not caught')); setImmediate(() => send(...message));",
    ),
  });
  expect(status, errors).toBe(1);
  expect(errors).toContain('processes were killed (1)');
  expect(errors).toContain('caught 2 unhandled errors during');
  for (const error of ['Worker exited unexpectedly', 'not caught']) expect(errors).toContain(error);
  expect(outcome()).toEqual({ passed: 3, failures: [] });
});
