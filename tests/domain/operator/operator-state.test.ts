import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { twitchAccounts } from '#db/schema/account.ts';
import { stripeEvents } from '#db/schema/billing.ts';
import { channels, watchGaps } from '#db/schema/channel.ts';
import { mails } from '#db/schema/outbox.ts';
import { transfers } from '#db/schema/transfer.ts';
import { recordLongRound } from '#domain/bot/record-long-round.ts';
import { newId } from '#domain/kernel/id.ts';
import { day, hour, minute } from '#domain/kernel/time.ts';
import { countQueues } from '#domain/operator/count-queues.ts';
import { AUDIT, findLastAudit } from '#domain/operator/find-last-audit.ts';
import { isBotInUse } from '#domain/operator/is-bot-in-use.ts';
import { type ListedBot, listBots } from '#domain/operator/list-bots.ts';
import { listDoubtfulSends } from '#domain/operator/list-doubtful-sends.ts';
import { listTrackedChannels } from '#domain/operator/list-tracked-channels.ts';
import { deferMail } from '#domain/outbox/defer-mail.ts';
import { reportMail } from '#domain/outbox/report-mail.ts';
import { deferRedemptions } from '#domain/redemption/defer-redemptions.ts';
import { leaseRedemptions } from '#domain/redemption/lease-redemptions.ts';
import { requestDeposit } from '#domain/transfer/request-deposit.ts';
import { addRule, addStreamer, asset, START_MS } from '#tests/support/fixtures.ts';
import { addPointsRule, redeem, redemptionsOf } from '#tests/support/redemptions.ts';
import { botId, db, setScene, streamer } from '#tests/support/scene.ts';

setScene();

async function requestOne(): Promise<string> {
  const requestId = newId(START_MS);
  const request = { requestId, userId: streamer.userId, assets: [asset('Demo rifle')] };
  expect(await requestDeposit(db, request, START_MS, Date.now())).toMatchObject({ ok: true });
  return requestId;
}

const setTransfer = (id: string, change: Partial<typeof transfers.$inferInsert>) =>
  db.transaction((tx) => tx.update(transfers).set(change).where(eq(transfers.id, id)));

test('Each bot is listed with what it holds and what it has open', async () => {
  await addRule(db, streamer, { rewards: 2 });
  await setTransfer(await requestOne(), { state: 'sent' });
  expect(await listBots(db.read)).toMatchObject([
    { id: botId, state: 'ready', fault: null, transfers: 1, openOffers: 1, items: 2 },
  ]);
});

test('A bot that Steam does not let trade is told by its queued transfers', async () => {
  const id = await requestOne();
  const refusedUntil = async () => (await listBots(db.read))[0]?.restrictedUntilMs;
  await setTransfer(id, { lastError: 'steamBusy' });
  expect(await refusedUntil()).toBeNull();
  await setTransfer(id, { lastError: 'botRestricted', runAtMs: START_MS + hour });
  expect(await refusedUntil()).toBe(START_MS + hour);
});

test('The last audit is known with what differed, and nothing before the first', async () => {
  expect(await findLastAudit(db.read)).toBeNull();
  await recordLongRound(db, 'another', 5);
  await recordLongRound(db, AUDIT, 6);
  expect(await findLastAudit(db.read)).toEqual({ atMs: 6, drifts: 0 });
});

test('A retired bot matters while it holds items or has transfers under way, and no longer', () => {
  const retired: ListedBot = {
    id: 'retired',
    steamId: null,
    state: 'offline',
    fault: null,
    heartbeatAtMs: 1,
    items: 0,
    transfers: 0,
    openOffers: 0,
    isUsed: false,
    restrictedUntilMs: null,
    refusedWith: null,
    refusals: 0,
  };
  const inUse = (change: Partial<ListedBot>, configured: readonly string[] | null = ['another']) =>
    isBotInUse({ ...retired, ...change }, configured);
  expect([inUse({}), inUse({}, null)]).toEqual([false, false]);
  expect([inUse({ items: 1 }), inUse({ transfers: 1 }, null), inUse({ isUsed: true })]).toEqual([
    true,
    true,
    true,
  ]);
  expect(inUse({}, ['another', 'retired'])).toBe(true);
});

test('An offer whose answer was lost is listed until its result is known', async () => {
  expect(await listDoubtfulSends(db.read)).toEqual([]);
  const id = await requestOne();
  await setTransfer(id, { state: 'uncertain', cleanPolls: 1, runAtMs: START_MS + hour });
  expect(await listDoubtfulSends(db.read)).toMatchObject([
    {
      transferId: id,
      kind: 'deposit',
      botId,
      looks: 1,
      nextLookAtMs: START_MS + hour,
      items: ['Demo rifle'],
    },
  ]);
  await setTransfer(id, { state: 'sent' });
  expect(await listDoubtfulSends(db.read)).toEqual([]);
});

const mail = { recipient: 'a@example.org', template: 'verifyEmail', locale: 'en', values: {} } as const;
const addMail = (row: Pick<typeof mails.$inferInsert, 'id' | 'createdAtMs' | 'runAtMs'>) =>
  db.transaction((tx) => tx.insert(mails).values({ ...mail, ...row }));
const mailsAt = async (nowMs: number) => (await countQueues(db.read, nowMs)).mails;
const noQueue = { waiting: 0, oldestAtMs: null, retryAtMs: null, problem: null };
const noMail = { ...noQueue, givenUp: 0 };

test('Mail waits from when it is due, however long ago it was planned', async () => {
  await addMail({ id: 'reminder', createdAtMs: START_MS, runAtMs: START_MS + 2 * day });
  expect(await mailsAt(START_MS + 2 * day - 1)).toEqual(noMail);
  const oldestAtMs = START_MS + 2 * day;
  expect(await mailsAt(oldestAtMs)).toEqual({ ...noMail, waiting: 1, oldestAtMs });
});

test('Mail that failed waits since it was due, and it is told why and when it is tried again', async () => {
  const dueAtMs = START_MS + 2 * day;
  await addMail({ id: 'deferred', createdAtMs: START_MS, runAtMs: dueAtMs });
  let nowMs = dueAtMs;
  for (let attempts = 0; attempts < 3; attempts += 1) {
    const result = { sent: false, error: 'try later', permanent: false } as const;
    await reportMail(db, { ...mail, id: 'deferred', attempts, leaseUntilMs: 0 }, result, nowMs);
    nowMs += minute * 2 ** attempts;
  }
  const waiting = { waiting: 1, oldestAtMs: dueAtMs, retryAtMs: nowMs, problem: 'try later' };
  expect(await mailsAt(nowMs - 1)).toEqual({ ...noMail, ...waiting });
  // As for a reminder whose promise got more time.
  await deferMail(db, { id: 'deferred', leaseUntilMs: 0 }, nowMs + day);
  expect(await mailsAt(nowMs)).toEqual(noMail);
});

test('Mail that was given up no longer waits, and is counted by itself', async () => {
  await addMail({ id: 'refused', createdAtMs: START_MS, runAtMs: START_MS });
  const result = { sent: false, error: 'no such address', permanent: true } as const;
  await reportMail(db, { ...mail, id: 'refused', attempts: 0, leaseUntilMs: 0 }, result, START_MS);
  expect(await mailsAt(START_MS + day)).toEqual({ ...noMail, givenUp: 1 });
});

const settlementsNow = async () => (await countQueues(db.read, START_MS)).settlements;

test('A settlement waits from its first attempt, not from when the points were spent', async () => {
  const ruleId = await addPointsRule(db, streamer);
  const old = { nowMs: START_MS - 3 * day };
  await redeem(db, ruleId, { twitchId: '999000' }, old);
  expect(await settlementsNow()).toEqual({ ...noQueue, waiting: 1 });
  let systemMs = Date.UTC(2030, 0, 1);
  const firstMs = systemMs;
  for (let attempt = 0; attempt < 9; attempt += 1) {
    const leased = await leaseRedemptions(db, 1, systemMs);
    await deferRedemptions(db, leased, systemMs, { random: 0.5 });
    systemMs = (await redemptionsOf(db, ruleId))[0]?.runAtMs ?? 0;
    const waiting = { waiting: 1, oldestAtMs: firstMs, retryAtMs: systemMs };
    expect(await settlementsNow()).toEqual({ ...noQueue, ...waiting });
  }
});

test('Settlements that cannot be sent before their streamer connects again do not count', async () => {
  const ruleId = await addPointsRule(db, streamer);
  await redeem(db, ruleId, { twitchId: '999000' });
  await db.transaction((tx) =>
    tx
      .update(twitchAccounts)
      .set({ state: 'restricted' })
      .where(eq(twitchAccounts.twitchId, streamer.twitchId)),
  );
  expect(await settlementsNow()).toEqual(noQueue);
});

test('Queued transfers wait by kind, with what kept the last one and when it is tried again', async () => {
  const id = await requestOne();
  const retryAtMs = START_MS + minute;
  await setTransfer(id, { attempts: 2, lastError: 'steamBusy', runAtMs: retryAtMs });
  const queues = await countQueues(db.read, START_MS);
  expect(queues.deposits).toEqual({ waiting: 1, oldestAtMs: START_MS, retryAtMs, problem: 'steamBusy' });
  expect([queues.claims, queues.returns]).toEqual([noQueue, noQueue]);
  await setTransfer(id, { state: 'sent' });
  expect((await countQueues(db.read, START_MS)).deposits).toEqual(noQueue);
});

test('Events of Stripe wait until they are handled', async () => {
  expect(await countQueues(db.read, START_MS)).toEqual({
    ...{ claims: noQueue, returns: noQueue, deposits: noQueue },
    ...{ settlements: noQueue, mails: noMail, stripeEvents: noQueue },
  });
  await db.transaction((tx) =>
    tx.insert(stripeEvents).values([
      { id: 'evt_1', type: 'invoice.paid', receivedAtMs: 5, handledAtMs: 6 },
      { id: 'evt_2', type: 'invoice.paid', receivedAtMs: 7, attempts: 1, retryAtMs: 9 },
    ]),
  );
  expect((await countQueues(db.read, START_MS)).stripeEvents).toEqual({
    ...noQueue,
    waiting: 1,
    oldestAtMs: 7,
    retryAtMs: 9,
  });
});

test('Channels in trouble come first, then live ones, and channels without rules are left out', async () => {
  const [broken, live, unused] = [streamer, await addStreamer(db), await addStreamer(db)];
  await addRule(db, broken, { rewards: 1 });
  const nowMs = START_MS + 2 * day;
  await db.transaction(async (tx) => {
    await tx
      .update(channels)
      .set({ live: true, watchedUntilMs: nowMs - 5 })
      .where(eq(channels.id, live.twitchId));
    await tx
      .update(twitchAccounts)
      .set({ state: 'restricted' })
      .where(eq(twitchAccounts.twitchId, broken.twitchId));
    const gap = { channelId: live.twitchId, reason: 'notPolled' as const };
    await tx.insert(watchGaps).values([
      { ...gap, fromMs: nowMs - hour, untilMs: nowMs },
      { ...gap, fromMs: nowMs - 25 * hour, untilMs: nowMs - 24 * hour },
    ]);
  });
  const found = await listTrackedChannels(db.read, nowMs);
  expect(found).toMatchObject({
    listed: [
      { id: broken.twitchId, live: false, trouble: 'permissionLost' },
      { id: live.twitchId, live: true, trouble: null, watchedUntilMs: nowMs - 5 },
    ],
    total: 2,
    live: 1,
    gaps: 1,
  });
  expect(found.listed.map(({ id }) => id)).not.toContain(unused.twitchId);
});
