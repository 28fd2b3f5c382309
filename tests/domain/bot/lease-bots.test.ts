import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Database } from '#db/database.ts';
import { bots } from '#db/schema/bot.ts';
import { BOT_LEASE_MS, leaseBots } from '#domain/bot/lease-bot.ts';
import { openTestDatabase } from '#tests/support/database.ts';

let database: Database;
beforeEach(async () => {
  database = await openTestDatabase();
});
afterEach(() => database.close());

const SYSTEM_MS = 1_000_000;
const lease = (holder: string, ready: Record<string, boolean>, systemMs = SYSTEM_MS) => {
  const wanted = Object.entries(ready).map(([botId, isReady]) => ({ botId, isReady }));
  return leaseBots(database, { holder, wanted }, { nowMs: 5, systemMs });
};
const heartbeats = async () =>
  Object.fromEntries(
    (await database.read.select().from(bots)).map(({ id, heartbeatAtMs }) => [id, heartbeatAtMs]),
  );

test('A process leases the bots that no other process holds', async () => {
  expect(await lease('one', { alpha: false })).toEqual(new Set(['alpha']));
  expect(await lease('two', { alpha: false, beta: false })).toEqual(new Set(['beta']));
  expect(await lease('one', { alpha: false, beta: false })).toEqual(new Set(['alpha']));
});

test('An expired lease goes to the first process that asks', async () => {
  await lease('one', { alpha: false });
  expect(await lease('two', { alpha: false }, SYSTEM_MS + BOT_LEASE_MS - 1)).toEqual(new Set());
  expect(await lease('two', { alpha: false }, SYSTEM_MS + BOT_LEASE_MS)).toEqual(new Set(['alpha']));
});

test('Only bots that are ready and leased get a heartbeat', async () => {
  await lease('one', { alpha: true, beta: false });
  await lease('two', { alpha: true, beta: true, gamma: true }, SYSTEM_MS + 1);
  expect(await heartbeats()).toEqual({ alpha: SYSTEM_MS, beta: 0, gamma: SYSTEM_MS + 1 });
});

test('An instance without bots leases none', async () => {
  expect(await lease('one', {})).toEqual(new Set());
});
