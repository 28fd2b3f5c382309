import { eq } from 'drizzle-orm';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Database } from '#db/database.ts';
import { bots } from '#db/schema/bot.ts';
import { listUsedBots } from '#domain/bot/list-used-bots.ts';
import { recordBotStop, recordUsedBots, reportBot, storeRefreshToken } from '#domain/bot/record-used-bots.ts';
import { takeLeases } from '#domain/bot/take-leases.ts';
import { openLoneDatabase } from '#tests/support/database.ts';
import { endLeases, holderNamed } from '#tests/support/leases.ts';

let db: Database;
beforeEach(async () => {
  db = await openLoneDatabase();
});
afterEach(() => db.close());

const SYSTEM_MS = 1_000_000;
const use = (epoch: number, ready: Record<string, boolean>, systemMs = SYSTEM_MS) => {
  const used = Object.entries(ready).map(([botId, isReady]) => ({ botId, isReady }));
  return recordUsedBots(db, { epoch, used }, { nowMs: 5, systemMs });
};
const rowOf = async (botId: string) => (await db.read.select().from(bots).where(eq(bots.id, botId)))[0];
const heartbeats = async () =>
  Object.fromEntries((await db.read.select().from(bots)).map(({ id, heartbeatAtMs }) => [id, heartbeatAtMs]));

test('Only bots that are ready get a heartbeat', async () => {
  await use(1, { alpha: true, beta: false });
  await use(1, { alpha: false, beta: false, gamma: true }, SYSTEM_MS + 1);
  expect(await heartbeats()).toEqual({ alpha: SYSTEM_MS, beta: 0, gamma: SYSTEM_MS + 1 });
});

test('An instance without bots has nothing to keep', async () => {
  await use(1, {});
  expect(await db.read.select().from(bots)).toEqual([]);
});

test('What a bot reports is stored for it alone, with when it was first seen', async () => {
  await use(1, { alpha: false, beta: false });
  await reportBot(db, 'alpha', { state: 'broken', fault: 'credentialsRefused' });
  await storeRefreshToken(db, 'beta', 'sealed');
  await recordBotStop(db, 'gamma');
  const rows = await db.read.select().from(bots).orderBy(bots.id);
  expect(rows.map(({ id, state, fault, firstSeenAtMs }) => [id, state, fault, firstSeenAtMs])).toEqual([
    ['alpha', 'broken', 'credentialsRefused', 5],
    ['beta', 'offline', null, 5],
  ]);
  expect(rows.map(({ refreshTokenSealed }) => refreshTokenSealed)).toEqual([null, 'sealed']);
  await recordBotStop(db, 'alpha');
  expect(await rowOf('alpha')).toMatchObject({ state: 'offline', fault: 'credentialsRefused' });
});

test('What a bot reports of itself stays in the next epoch, whoever uses it then', async () => {
  const broken = { state: 'broken', fault: 'credentialsRefused' } as const;
  await use(1, { alpha: false, beta: false });
  for (const botId of ['alpha', 'beta']) await reportBot(db, botId, broken);
  await use(2, { alpha: true, beta: false });
  expect([await rowOf('alpha'), await rowOf('beta')]).toMatchObject([broken, broken]);
});

test('Those bots count as used that were used in the epoch in force', async () => {
  const [lease] = await takeLeases(db, holderNamed('one'), ['steam', 'mails']);
  await use(lease?.epoch ?? 0, { alpha: true, beta: false });
  await use(0, { gamma: true });
  expect((await listUsedBots(db.read)).sort()).toEqual(['alpha', 'beta']);
  await endLeases(db, ['steam']);
  expect(await listUsedBots(db.read)).toEqual([]);
  await takeLeases(db, holderNamed('two'), ['steam']);
  expect(await listUsedBots(db.read)).toEqual([]);
});

test('A heartbeat wakes nobody who waits for changes', async () => {
  await use(1, { alpha: true });
  const revision = await db.revision();
  await use(1, { alpha: true }, SYSTEM_MS + 1);
  expect(await db.revision()).toBe(revision);
});
