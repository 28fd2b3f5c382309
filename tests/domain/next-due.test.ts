import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { twitchAccounts } from '#db/schema/account.ts';
import { channels } from '#db/schema/channel.ts';
import { items } from '#db/schema/item.ts';
import { mails } from '#db/schema/outbox.ts';
import { rewards } from '#db/schema/reward.ts';
import { newId } from '#domain/kernel/id.ts';
import { day, hour, minute, second } from '#domain/kernel/time.ts';
import { leaseMails } from '#domain/outbox/lease-mails.ts';
import { nextMailDueMs } from '#domain/outbox/next-mail-due.ts';
import { deferRedemptions } from '#domain/redemption/defer-redemptions.ts';
import { leaseRedemptions, REDEMPTION_LEASE_MS } from '#domain/redemption/lease-redemptions.ts';
import { nextCustomRewardDueMs, nextRedemptionDueMs } from '#domain/redemption/next-redemption-due.ts';
import { deferCustomReward } from '#domain/redemption/record-custom-reward.ts';
import { nextPromiseEndMs } from '#domain/reward/next-promise-end.ts';
import { leaseTransfers, SENDING_LEASE_MS } from '#domain/transfer/lease-transfers.ts';
import { nextQueuedMs, nextSendingEndMs } from '#domain/transfer/next-transfer-due.ts';
import { reportTransfer } from '#domain/transfer/report-transfer.ts';
import { requestDeposit } from '#domain/transfer/request-deposit.ts';
import { addPerson, asset, START_MS } from '#tests/support/fixtures.ts';
import { promiseTo } from '#tests/support/promises.ts';
import { addPointsRule, redeem } from '#tests/support/redemptions.ts';
import { botId, db, setScene, streamer } from '#tests/support/scene.ts';

setScene();
const SYSTEM_MS = Date.UTC(2030, 0, 1);

test('The next claim window end is the first promise’s, and there is none without promises', async () => {
  expect(await nextPromiseEndMs(db.read, START_MS)).toBeNull();
  const viewers = [await addPerson(db), await addPerson(db)];
  const { ruleId } = await promiseTo(db, streamer, viewers);
  const windows = await db.read
    .select({ untilMs: rewards.claimUntilMs })
    .from(rewards)
    .where(eq(rewards.ruleId, ruleId));
  const first = Math.min(...windows.map(({ untilMs }) => untilMs ?? Number.POSITIVE_INFINITY));
  expect(await nextPromiseEndMs(db.read, START_MS)).toBe(first - START_MS);
});

test('A mail is due at its time; one being sent, when its lease ends', async () => {
  await db.transaction(async (tx) => {
    await tx.delete(mails);
    for (const runAtMs of [START_MS, START_MS + hour])
      await tx.insert(mails).values({
        id: newId(START_MS),
        recipient: 'ann@example.org',
        template: 'demo',
        locale: 'en',
        values: {},
        createdAtMs: START_MS,
        runAtMs,
      });
  });
  const next = (nowMs: number, systemMs = SYSTEM_MS) => nextMailDueMs(db.read, nowMs, systemMs);
  expect(await next(START_MS - minute)).toBe(minute);
  const [leased] = await leaseMails(db, 1, START_MS, SYSTEM_MS);
  expect(leased?.runAtMs).toBe(START_MS);
  expect(await next(START_MS)).toBe(2 * minute);
  expect(await next(START_MS + hour - second)).toBe(second);
  expect(await next(START_MS, SYSTEM_MS + 2 * minute)).toBe(0);
});

test('A deferred transfer is due at its time, and one being sent when its lease ends', async () => {
  const next = () => nextQueuedMs(db.read, { botId }, START_MS);
  const nextEnd = () => nextSendingEndMs(db.read, { botId }, SYSTEM_MS);
  expect([await next(), await nextEnd()]).toEqual([null, null]);
  const requestId = newId(START_MS);
  const request = { requestId, userId: streamer.userId, assets: [asset()] };
  await requestDeposit(db, request, START_MS, Date.now());
  // Work that is due already does not wait for time.
  expect(await next()).toBeNull();
  await leaseTransfers(db, { botId, holder: 'one' }, START_MS, SYSTEM_MS);
  expect(await nextEnd()).toBe(SENDING_LEASE_MS);
  const later = { event: 'deferred', error: 'steamBusy', runAtMs: START_MS + minute } as const;
  await reportTransfer(db, requestId, later, START_MS);
  expect([await next(), await nextEnd()]).toEqual([minute, null]);
});

test('A settlement is due at its time, as long as Twitch can be called', async () => {
  const next = (systemMs = SYSTEM_MS) => nextRedemptionDueMs(db.read, systemMs);
  const ruleId = await addPointsRule(db, streamer);
  expect(await next()).toBeNull();
  await redeem(db, ruleId, { twitchId: '999000' });
  expect(await next()).toBeLessThanOrEqual(0);
  const [one] = await leaseRedemptions(db, 1, SYSTEM_MS);
  expect(await next()).toBe(REDEMPTION_LEASE_MS);
  await deferRedemptions(db, [{ id: one!.id, attempts: 20 }], SYSTEM_MS, { random: 1 });
  expect(await next()).toBe(12 * minute);
  expect(await leaseRedemptions(db, 1, SYSTEM_MS)).toEqual([]);
  await db.transaction(async (tx) => {
    await tx.update(twitchAccounts).set({ state: 'restricted' });
  });
  expect(await next()).toBeNull();
});

test('A settlement of the time while the clock was ahead is due once it is right again', async () => {
  await redeem(db, await addPointsRule(db, streamer), { twitchId: '999000' });
  const [ahead] = await leaseRedemptions(db, 1, SYSTEM_MS + 9 * hour);
  expect(await nextRedemptionDueMs(db.read, SYSTEM_MS)).toBe(0);
  expect(await leaseRedemptions(db, 1, SYSTEM_MS)).toMatchObject([{ id: ahead!.id, attempts: 2 }]);
});

test('A custom reward can become due by time alone: when it is retried, or when an item is unlocked', async () => {
  const ruleId = await addPointsRule(db, streamer, { rewards: 2 });
  const next = () => nextCustomRewardDueMs(db.read, { ruleIds: [ruleId] }, START_MS, SYSTEM_MS);
  expect(await next()).toBeNull();
  await db.transaction(async (tx) => {
    await tx.update(items).set({ lockedUntilMs: START_MS + day });
  });
  expect(await next()).toBeNull();
  await db.transaction(async (tx) => {
    await tx.update(channels).set({ live: true }).where(eq(channels.id, streamer.twitchId));
  });
  expect(await next()).toBe(day);
  await deferCustomReward(db, { ruleId, fault: 'tooMany', retryAtMs: SYSTEM_MS + hour }, START_MS);
  expect(await next()).toBe(hour);
});
