import { eq } from 'drizzle-orm';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Database } from '#db/database.ts';
import { bots } from '#db/schema/bot.ts';
import { BOT_LEASE_MS, leaseBots, releaseBot, reportBot, storeRefreshToken } from '#domain/bot/lease-bot.ts';
import { hour, second } from '#domain/kernel/time.ts';
import { openLoneDatabase } from '#tests/support/database.ts';

let db: Database;
beforeEach(async () => {
  db = await openLoneDatabase();
});
afterEach(() => db.close());

const SYSTEM_MS = 1_000_000;
const lease = (holder: string, ready: Record<string, boolean>, systemMs = SYSTEM_MS) => {
  const wanted = Object.entries(ready).map(([botId, isReady]) => ({ botId, isReady }));
  return leaseBots(db, { holder, wanted }, { nowMs: 5, systemMs });
};
const heartbeats = async () =>
  Object.fromEntries((await db.read.select().from(bots)).map(({ id, heartbeatAtMs }) => [id, heartbeatAtMs]));

test('A process leases the bots that no other process holds', async () => {
  expect(await lease('one', { alpha: false })).toEqual(new Set(['alpha']));
  expect(await lease('two', { alpha: false, beta: false })).toEqual(new Set(['beta']));
  expect(await lease('one', { alpha: false, beta: false })).toEqual(new Set(['alpha']));
});

test('An expired lease goes to the first process that asks', async () => {
  await lease('one', { alpha: false });
  expect(await lease('two', { alpha: false }, SYSTEM_MS + BOT_LEASE_MS - 1)).toEqual(new Set());
  expect(await lease('two', { alpha: false }, SYSTEM_MS + BOT_LEASE_MS)).toEqual(new Set(['alpha']));
  expect(await lease('one', { alpha: false }, SYSTEM_MS + BOT_LEASE_MS)).toEqual(new Set());
});

test('Only bots that are ready and leased get a heartbeat', async () => {
  await lease('one', { alpha: true, beta: false });
  await lease('two', { alpha: true, beta: true, gamma: true }, SYSTEM_MS + 1);
  expect(await heartbeats()).toEqual({ alpha: SYSTEM_MS, beta: 0, gamma: SYSTEM_MS + 1 });
});

test('An instance without bots leases none', async () => {
  expect(await lease('one', {})).toEqual(new Set());
});

test('A lease that was taken while the clock was ahead locks nobody out once it is right again', async () => {
  await lease('one', { alpha: false, beta: false }, SYSTEM_MS + 9 * hour);
  expect(await lease('two', { alpha: false })).toEqual(new Set(['alpha']));
  expect(await lease('one', { alpha: false, beta: false })).toEqual(new Set(['beta']));
  expect(await lease('two', { beta: false }, SYSTEM_MS + BOT_LEASE_MS - 1)).toEqual(new Set());
});

test('A lease of a process whose clock is ahead by seconds is in force', async () => {
  await lease('one', { alpha: false }, SYSTEM_MS + 50 * second);
  expect(await lease('two', { alpha: false })).toEqual(new Set());
});

test('Leasing some bots renews no other lease of the same process', async () => {
  await lease('one', { alpha: false, beta: false });
  await lease('one', { alpha: false }, SYSTEM_MS + BOT_LEASE_MS - 1);
  expect(await lease('two', { alpha: false, beta: false }, SYSTEM_MS + BOT_LEASE_MS)).toEqual(
    new Set(['beta']),
  );
});

test('A lease lasts until its end, also for a holder who renews it', async () => {
  await lease('one', { alpha: false });
  await lease('one', { alpha: false }, SYSTEM_MS + BOT_LEASE_MS - 1);
  expect(await lease('two', { alpha: false }, SYSTEM_MS + BOT_LEASE_MS)).toEqual(new Set());
});

test('Only its holder releases a lease, and only of the bot that it names', async () => {
  await lease('one', { alpha: false, beta: false });
  await releaseBot(db, { botId: 'alpha', holder: 'two' });
  expect(await lease('two', { alpha: false })).toEqual(new Set());
  await releaseBot(db, { botId: 'alpha', holder: 'one' });
  expect(await lease('two', { alpha: false, beta: false })).toEqual(new Set(['alpha']));
});

test('What a bot reports is stored for it alone, with when it was first seen', async () => {
  await lease('one', { alpha: false, beta: false });
  await reportBot(db, { botId: 'alpha', holder: 'one' }, { state: 'broken', fault: 'credentialsRefused' });
  const rows = await db.read.select().from(bots).orderBy(bots.id);
  expect(rows.map(({ id, state, fault, firstSeenAtMs }) => [id, state, fault, firstSeenAtMs])).toEqual([
    ['alpha', 'broken', 'credentialsRefused', 5],
    ['beta', 'offline', null, 5],
  ]);
});

const rowOf = async (botId: string) => (await db.read.select().from(bots).where(eq(bots.id, botId)))[0];

test('A process that lost a lease reports nothing about the bot but a new token', async () => {
  await lease('one', { alpha: false });
  await lease('two', { alpha: false }, SYSTEM_MS + BOT_LEASE_MS);
  await reportBot(db, { botId: 'alpha', holder: 'two' }, { state: 'ready', steamId: '76561190000000002' });
  const before = await rowOf('alpha');
  await reportBot(db, { botId: 'alpha', holder: 'one' }, { state: 'offline', fault: 'webSessionRefused' });
  expect(await rowOf('alpha')).toEqual(before);
  await storeRefreshToken(db, 'alpha', 'sealed');
  expect(await rowOf('alpha')).toEqual({ ...before, refreshTokenSealed: 'sealed' });
});

test('A bot that is in use says so when its lease comes back, and keeps what its own process reports', async () => {
  await lease('one', { alpha: true, beta: false });
  const broken = { state: 'broken', fault: 'credentialsRefused' } as const;
  const laterMs = SYSTEM_MS + BOT_LEASE_MS;
  await lease('two', { alpha: false, beta: false }, laterMs);
  for (const botId of ['alpha', 'beta']) await reportBot(db, { botId, holder: 'two' }, broken);
  await lease('one', { alpha: true, beta: false }, laterMs + BOT_LEASE_MS);
  expect(await rowOf('alpha')).toMatchObject({ state: 'ready', fault: null });
  expect(await rowOf('beta')).toMatchObject(broken);
  // The session ended while the lease was renewed.
  await reportBot(db, { botId: 'alpha', holder: 'one' }, broken);
  await lease('one', { alpha: true }, laterMs + BOT_LEASE_MS + 1);
  expect(await rowOf('alpha')).toMatchObject(broken);
});

test('Renewing a lease wakes nobody who waits for changes', async () => {
  await lease('one', { alpha: true });
  const revision = await db.revision();
  await lease('one', { alpha: true }, SYSTEM_MS + 1);
  expect(await db.revision()).toBe(revision);
});
