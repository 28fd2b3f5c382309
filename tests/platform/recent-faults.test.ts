import { pino } from 'pino';
import { expect, test } from 'vitest';
import { RecentFaults } from '#platform/recent-faults.ts';

function logInto(faults: RecentFaults) {
  const destination = { write: (line: string) => faults.record(line) };
  return pino({ level: 'debug', base: { process: 'bot' } }, destination);
}

test('Warnings and errors are kept once each, with their count and last cause, the newest first', () => {
  const faults = new RecentFaults();
  const log = logInto(faults);
  log.info('all is well');
  log.error({ err: new Error('first cause'), worker: 'mails' }, 'a mail failed; retrying');
  log.warn({ bot: 'bot-1', code: 'steamBusy' }, 'Steam refused');
  log.error({ err: new Error('second cause'), worker: 'mails' }, 'a mail failed; retrying');
  expect(faults.list()).toMatchObject([
    { message: 'a mail failed; retrying', where: 'bot · mails', detail: 'second cause', count: 2 },
    { message: 'Steam refused', where: 'bot · bot-1', detail: 'steamBusy', count: 1 },
  ]);
});

test('However much fails, a bounded number is kept, and long texts are cut', () => {
  const faults = new RecentFaults();
  const log = logInto(faults);
  for (let n = 0; n < 100; n++) log.error(`${n} ${'x'.repeat(1000)}`);
  const found = faults.list();
  expect(found).toHaveLength(30);
  expect(found[0]?.message).toMatch(/^99 x+$/);
  expect(found.every(({ message }) => message.length <= 300)).toBe(true);
});

test('A line that is no JSON is passed over', () => {
  const faults = new RecentFaults();
  faults.record('{"level":50,"msg":');
  expect(faults.list()).toEqual([]);
});
