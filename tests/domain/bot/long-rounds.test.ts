import { expect, test } from 'vitest';
import { recordLongRound, untilLongRoundMs } from '#domain/bot/record-long-round.ts';
import { day, hour } from '#domain/kernel/time.ts';
import { openTestDatabase } from '#tests/support/database.ts';

const NOON_MS = Date.UTC(2026, 0, 1, 12);

test('A long round is due a day after the last one, whoever had it, and at once after a clock was put back', async () => {
  await using db = await openTestDatabase();
  const untilMs = (systemMs: number, worker = 'audit') =>
    untilLongRoundMs(db, { worker, everyMs: day }, systemMs);
  expect(await untilMs(NOON_MS)).toBe(0);
  await recordLongRound(db, 'audit', NOON_MS - day);
  await recordLongRound(db, 'audit', NOON_MS);
  expect(await untilMs(NOON_MS)).toBe(day);
  expect(await untilMs(NOON_MS + 23 * hour)).toBe(hour);
  expect(await untilMs(NOON_MS + day + 1)).toBe(0);
  expect(await untilMs(NOON_MS - 1)).toBe(0);
  expect(await untilMs(NOON_MS, 'another')).toBe(0);
});
