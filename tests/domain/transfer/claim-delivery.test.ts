import { eq } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';
import { is } from '#db/dialect.ts';
import { items } from '#db/schema/item.ts';
import { transfers } from '#db/schema/transfer.ts';
import { claimReward } from '#domain/claim/claim-reward.ts';
import { day, hour } from '#domain/kernel/time.ts';
import { closeRule } from '#domain/rule/close-rule.ts';
import { evaluateChannel } from '#domain/rule/evaluate-channel.ts';
import { cancelTransfer } from '#domain/transfer/cancel-transfer.ts';
import { reportOffer } from '#domain/transfer/report-offer.ts';
import { reportTransfer } from '#domain/transfer/report-transfer.ts';
import {
  acceptOffer,
  addPerson,
  asset,
  deposit,
  type Person,
  START_MS,
  sendQueued,
} from '#tests/support/fixtures.ts';
import { assetsIn, itemsOf, ledgerOf, rewardsOf, transferOf } from '#tests/support/looking.ts';
import { promiseTo } from '#tests/support/promises.ts';
import { db, setScene, streamer } from '#tests/support/scene.ts';
import { watchFor } from '#tests/support/watching.ts';

setScene();
let viewer: Person;
let ruleId: string;
let rewardId: string;
let itemId: string;
beforeEach(async () => {
  viewer = await addPerson(db);
  const made = await promiseTo(db, streamer, [viewer]);
  const [reward] = made.rewards;
  ({ ruleId } = made);
  ({ id: rewardId, itemId } = reward!);
});

/** The viewer claims; returns the transfer that will deliver. */
async function claim(nowMs = START_MS): Promise<string> {
  const claimed = await claimReward(db, { rewardId, userId: viewer.userId }, nowMs);
  if (!claimed.ok) throw new Error(claimed.code);
  const rows = await db.read.select().from(transfers).where(eq(transfers.rewardId, rewardId));
  return rows
    .map(({ id }) => id)
    .sort()
    .at(-1)!;
}
async function claimAndAccept(nowMs = START_MS): Promise<string> {
  const transferId = await claim(nowMs);
  await sendQueued(db, nowMs);
  await acceptOffer(db, transferId, await assetsIn(db, transferId), nowMs);
  return transferId;
}
const rewardNow = async () => (await rewardsOf(db, ruleId)).find(({ id }) => id === rewardId);
const itemNow = async () => (await itemsOf(db, streamer.userId)).find(({ id }) => id === itemId);
/** A second viewer who met the rule and waits. */
async function addWaiting(): Promise<Person> {
  const waiting = await addPerson(db);
  await watchFor(db, streamer.twitchId, [[waiting.twitchId, 600]]);
  await evaluateChannel(db, streamer.twitchId, START_MS);
  return waiting;
}

test('A claim changes reward, item and transfer together, and the offer goes to the viewer', async () => {
  const transferId = await claim();
  expect(await rewardNow()).toMatchObject({ state: 'reserved', steamId: viewer.steamId });
  expect((await itemNow())?.state).toBe('outgoing');
  const transfer = await transferOf(db, transferId);
  expect(transfer).toMatchObject({
    kind: 'claim',
    state: 'queued',
    userId: viewer.userId,
    partnerSteamId: viewer.steamId,
    botId: (await itemNow())?.botId,
  });
  expect((await assetsIn(db, transferId)).map((row) => row.itemId)).toEqual([itemId]);
});

test('A delivered item is final once Steam allows no reversal', async () => {
  const transferId = await claimAndAccept();
  expect(await rewardNow()).toMatchObject({ state: 'claimed', claimedAtMs: START_MS });
  expect((await itemNow())?.state).toBe('delivered');
  await reportTransfer(db, transferId, { event: 'settled' }, START_MS + 7 * day);
  expect((await itemNow())?.state).toBe('gone');
  expect((await ledgerOf(db, itemId)).map(({ toHolder }) => toHolder.split(':')[0])).toEqual([
    'held',
    'outgoing',
    'delivered',
    'gone',
  ]);
  expect(await reportTransfer(db, transferId, { event: 'reversed' }, START_MS + 8 * day)).toBe(false);
});

test('Every ledger entry names the transfer that moved the item', async () => {
  const declined = await claim();
  await sendQueued(db, START_MS);
  await reportTransfer(db, declined, { event: 'declined' }, START_MS);
  const accepted = await claimAndAccept(START_MS + hour);
  const [row] = await assetsIn(db, accepted);
  const moved = [{ appId: 730, assetId: row!.newAssetId!, newAssetId: 'back-1', newContextId: '2' }];
  await reportTransfer(db, accepted, { event: 'reversed', moved }, START_MS + day);
  const [deposited] = await db.read.select().from(transfers).where(is(transfers.kind, 'deposit'));
  const entries = await ledgerOf(db, itemId);
  expect(entries.map(({ toHolder, transferId }) => [toHolder.split(':')[0], transferId])).toEqual([
    ['held', deposited?.id],
    ['outgoing', declined],
    ['held', declined],
    ['outgoing', accepted],
    ['delivered', accepted],
    ['held', accepted],
  ]);
});

test('A reversed claim returns the item under its new id and passes it to the next in line', async () => {
  const transferId = await claimAndAccept();
  const waiting = await addWaiting();
  const [row] = await assetsIn(db, transferId);
  const moved = [{ appId: 730, assetId: row!.newAssetId!, newAssetId: 'back-1', newContextId: '2' }];
  expect(await reportTransfer(db, transferId, { event: 'reversed', moved }, START_MS + day)).toBe(true);
  expect(await itemNow()).toMatchObject({ state: 'held', assetId: 'back-1', contextId: '2' });
  const rows = await rewardsOf(db, ruleId);
  expect(rows).toMatchObject([
    { id: rewardId, state: 'recalled', recallReason: 'reversed', userId: viewer.userId },
    { state: 'promised', userId: waiting.userId, itemId },
  ]);
  // Reporting it again changes nothing.
  expect(await reportTransfer(db, transferId, { event: 'reversed', moved }, START_MS + day)).toBe(false);
  expect(await rewardsOf(db, ruleId)).toEqual(rows);
});

test('An item that returns protected is promised to nobody before Steam releases it', async () => {
  const transferId = await claimAndAccept();
  await addWaiting();
  const [row] = await assetsIn(db, transferId);
  const protectedUntilMs = START_MS + 9 * day;
  const back = { appId: 730, assetId: row!.newAssetId!, newAssetId: 'back-1', newContextId: '16' };
  const moved = [{ ...back, protectedUntilMs }];
  await reportTransfer(db, transferId, { event: 'reversed', moved }, START_MS + day);
  expect(await itemNow()).toMatchObject({ state: 'held', lockedUntilMs: protectedUntilMs });
  const successor = async () => (await rewardsOf(db, ruleId)).at(-1)?.state;
  expect(await successor()).toBe('free');
  await evaluateChannel(db, streamer.twitchId, protectedUntilMs - 1);
  expect(await successor()).toBe('free');
  await evaluateChannel(db, streamer.twitchId, protectedUntilMs);
  expect(await successor()).toBe('promised');
});

test('A reversal on a closed rule leaves the item unassigned', async () => {
  const transferId = await claimAndAccept();
  await closeRule(db, { ruleId, userId: streamer.userId }, START_MS);
  await reportTransfer(db, transferId, { event: 'reversed' }, START_MS + day);
  expect((await itemNow())?.state).toBe('held');
  expect((await rewardsOf(db, ruleId)).map(({ state }) => state)).toEqual(['recalled']);
});

test('A reversed deposit removes the item from custody', async () => {
  const transferId = await deposit(db, streamer, [asset('Demo key')]);
  await reportTransfer(db, transferId, { event: 'reversed' }, START_MS + day);
  const key = (await itemsOf(db, streamer.userId)).find((item) => item.marketHashName === 'Demo key');
  expect(key?.state).toBe('gone');
  expect((await ledgerOf(db, key!.id)).map(({ cause }) => cause)).toEqual(['deposit', 'reversal']);
});

test.each(['declined', 'expired', 'cancelled', 'invalidated'] as const)(
  'After an offer that was %s, the reward is promised again and can be claimed again',
  async (event) => {
    const transferId = await claim();
    await sendQueued(db, START_MS);
    await reportTransfer(db, transferId, { event }, START_MS + hour);
    expect(await rewardNow()).toMatchObject({
      state: 'promised',
      steamId: null,
      claimUntilMs: START_MS + 72 * hour,
    });
    expect((await itemNow())?.state).toBe('held');
    expect(await claim(START_MS + hour)).not.toBe(transferId);
  },
);

test('A claim withdrawn before it was sent is a promise again', async () => {
  const transferId = await claim();
  const cancelled = await cancelTransfer(db, { transferId, userId: viewer.userId }, START_MS);
  expect(cancelled).toEqual({ ok: true, cancelled: true });
  expect((await rewardNow())?.state).toBe('promised');
});

test('An uncertain claim changes neither reward nor item until Steam’s answer is known', async () => {
  const transferId = await claim();
  await sendQueued(db, START_MS);
  const second = await claim();
  expect(second).toBe(transferId);
  await db.transaction(async (tx) => {
    await tx.update(transfers).set({ state: 'sending' }).where(eq(transfers.id, transferId));
  });
  await reportTransfer(db, transferId, { event: 'answerLost' }, START_MS + 80 * hour);
  expect((await rewardNow())?.state).toBe('reserved');
  expect((await itemNow())?.state).toBe('outgoing');
  const offer = { offerId: 'found', steamState: 'Declined' } as const;
  await reportOffer(db, transferId, offer, START_MS + 80 * hour);
  expect(await rewardNow()).toMatchObject({ state: 'recalled', recallReason: 'timedOut' });
});

test('An item missing in reconciliation is offered to nobody, and the promise stays', async () => {
  await db.transaction(async (tx) => {
    await tx.update(items).set({ state: 'missing' }).where(eq(items.id, itemId));
  });
  expect(await claimReward(db, { rewardId, userId: viewer.userId }, START_MS)).toEqual({
    ok: false,
    code: 'itemUnavailable',
  });
  expect(await rewardNow()).toMatchObject({ state: 'promised', steamId: null });
  expect(await db.read.$count(transfers, is(transfers.kind, 'claim'))).toBe(0);
});
