import { once } from 'node:events';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import { createLog as createWebLog } from '#app/http/logger.server.ts';
import { createLog as createBotLog } from '#bot/log.ts';
import { logForeignLines } from '#platform/process-log.ts';
import { createLog as createSupervisorLog } from '../../cli/log.ts';

/** A destination that keeps the lines. */
function collect() {
  const lines: Record<string, unknown>[] = [];
  return { lines, write: (line: string) => void lines.push(JSON.parse(line)) };
}

const { log, info, warn, error } = console;
afterEach(() => void Object.assign(console, { log, info, warn, error }));

test('Lines of all processes have one shape', () => {
  const { lines, ...destination } = collect();
  createWebLog('info', destination).info({ path: '/' }, 'answered');
  createBotLog('info', destination).warn({ bot: 'bot-1' }, 'away');
  createSupervisorLog('supervisor', 'info', destination).error({ part: 'bot' }, 'ended');
  expect(lines).toEqual([
    { level: 30, time: expect.any(Number), process: 'web', path: '/', msg: 'answered' },
    { level: 40, time: expect.any(Number), process: 'bot', bot: 'bot-1', msg: 'away' },
    { level: 50, time: expect.any(Number), process: 'supervisor', part: 'bot', msg: 'ended' },
  ]);
});

test('What packages print and Node warns of stands in the log, without secrets', async () => {
  const { lines, ...destination } = collect();
  const before = process.listeners('warning');
  onTestFinished(() => {
    process.removeAllListeners('warning');
    for (const listener of before) process.on('warning', listener);
  });
  logForeignLines(createWebLog('info', destination));
  console.warn('The path %s has token=abcdefgh', '/%');
  const warned = once(process, 'warning');
  process.emitWarning('-1 is a negative number.', 'TimeoutNegativeWarning');
  await warned;
  expect(lines).toMatchObject([
    { level: 40, process: 'web', from: 'console', msg: 'The path /% has token=[redacted]' },
    { level: 40, process: 'web', msg: 'Node warns: TimeoutNegativeWarning' },
  ]);
});
