import { and, asc, eq, ne } from 'drizzle-orm';
import { beforeEach, describe, expect, test } from 'vitest';
import { mails } from '#db/schema/outbox.ts';
import { redemptions } from '#db/schema/redemption.ts';
import { transferSteps, transfers } from '#db/schema/transfer.ts';
import { users } from '#db/schema/user.ts';
import { deleteAccount } from '#domain/account/delete-account.ts';
import { updateTwitchTokens } from '#domain/account/twitch/update-twitch-tokens.ts';
import { claimReward } from '#domain/claim/claim-reward.ts';
import { day, hour, minute } from '#domain/kernel/time.ts';
import { recordMissingCustomReward } from '#domain/redemption/record-custom-reward.ts';
import { MAX_MISSED_POLLS, recordMissingRedemption } from '#domain/redemption/record-missing-redemption.ts';
import { type ReportedRedemption, recordRedemption } from '#domain/redemption/record-redemption.ts';
import { expirePromises } from '#domain/reward/expire-promises.ts';
import { closeRule } from '#domain/rule/close-rule.ts';
import { listRulePromises } from '#domain/rule/list-rule-rewards.ts';
import { cancelTransfer } from '#domain/transfer/cancel-transfer.ts';
import { leaseTransfers } from '#domain/transfer/lease-transfers.ts';
import { reportOffer } from '#domain/transfer/report-offer.ts';
import { reportTransfer } from '#domain/transfer/report-transfer.ts';
import { acceptOffer, addPerson, type Person, START_MS, sendQueued } from '#tests/support/fixtures.ts';
import { assetsIn, itemsOf, owned, rewardsOf, transferOf } from '#tests/support/looking.ts';
import { addPointsRule, redeem, redemptionOf } from '#tests/support/redemptions.ts';
import { db, setScene, streamer } from '#tests/support/scene.ts';
import { vault, viewerGrant } from '../account/people.ts';

setScene();
const LATE_MS = START_MS + 73 * hour;
let viewer: Person;
let ruleId: string;
let rewardId: string;
let reported: ReportedRedemption;
beforeEach(async () => {
  viewer = await addPerson(db);
  ruleId = await addPointsRule(db, streamer);
  const redeemed = await redeem(db, ruleId, viewer);
  rewardId = redeemed.rewardId ?? '';
  reported = redeemed.reported;
});

const report = (status: ReportedRedemption['status'], nowMs = START_MS + hour) =>
  recordRedemption(db, { ...reported, status }, nowMs);
const points = () => redemptionOf(db, reported.id);
const states = async () => (await rewardsOf(db, ruleId)).map(({ state }) => state);
async function claim(): Promise<string> {
  const claimed = await claimReward(db, { rewardId, userId: viewer.userId }, START_MS);
  if (!claimed.ok) throw new Error(claimed.code);
  const [transfer] = await db.read.select().from(transfers).where(eq(transfers.rewardId, rewardId));
  return transfer?.id ?? '';
}
async function send(): Promise<string> {
  const transferId = await claim();
  const sent = await sendQueued(db, START_MS);
  expect(sent.map(({ id }) => id)).toEqual([transferId]);
  return transferId;
}
/** A bot leases it to send it. */
async function lease(transferId: string): Promise<void> {
  const { botId } = await transferOf(db, transferId);
  const wanted = { botId, holder: 'test', checkedClaims: [transferId] };
  const leased = await leaseTransfers(db, wanted, START_MS, Date.now());
  expect(leased.map(({ id }) => id)).toEqual([transferId]);
}
async function lastStep(transferId: string) {
  const steps = await db.read
    .select()
    .from(transferSteps)
    .where(eq(transferSteps.transferId, transferId))
    .orderBy(asc(transferSteps.id));
  return steps.at(-1);
}
async function mailsToOwner() {
  const [owner] = await db.read.select().from(users).where(eq(users.id, streamer.userId));
  return db.read
    .select()
    .from(mails)
    .where(and(eq(mails.recipient, owner?.email ?? ''), ne(mails.template, 'itemsUsable')));
}
async function deliver(): Promise<string> {
  const transferId = await send();
  await acceptOffer(db, transferId, await assetsIn(db, transferId), START_MS);
  return transferId;
}

describe('The settlement is stored with the reward’s transition', () => {
  test('a delivery fulfils them, and Twitch’s answer ends it', async () => {
    await deliver();
    expect(await points()).toMatchObject({ state: 'open', settlement: 'fulfil', refundReason: null });
    await report('FULFILLED');
    expect(await points()).toMatchObject({
      state: 'fulfilled',
      settlement: null,
      endedAtMs: START_MS + hour,
    });
  });

  test('a timed out promise refunds them', async () => {
    expect(await expirePromises(db, LATE_MS, Date.now())).toBe(1);
    expect(await points()).toMatchObject({ state: 'open', settlement: 'refund', refundReason: 'recalled' });
    await report('CANCELED');
    expect(await points()).toMatchObject({ state: 'refunded', settlement: null, refundReason: 'recalled' });
    expect(await states()).toEqual(['recalled', 'free']);
  });

  test('a claim that ends undelivered within its window leaves them open', async () => {
    const transferId = await send();
    expect((await listRulePromises(db, owned(ruleId))).rows).toMatchObject([{ pointsBack: false }]);
    expect(await points()).toMatchObject({ state: 'open', settlement: null });
    await reportTransfer(db, transferId, { event: 'declined' }, START_MS + hour);
    expect(await points()).toMatchObject({ state: 'open', settlement: null });
    expect(await states()).toEqual(['promised']);
  });

  test('a delivery reversed before Twitch was called refunds them; afterwards it is too late', async () => {
    const transferId = await deliver();
    const { appId, newAssetId } = (await assetsIn(db, transferId))[0]!;
    const moved = [{ appId, assetId: newAssetId ?? '', newAssetId: '1', newContextId: '2' }];
    await reportTransfer(db, transferId, { event: 'reversed', moved }, START_MS + day);
    expect(await points()).toMatchObject({ state: 'open', settlement: 'refund', refundReason: 'recalled' });
    // Twitch has already carried out the first settlement.
    await report('FULFILLED');
    expect(await points()).toMatchObject({ state: 'fulfilled', settlement: null });
  });

  test('a closed rule first lets the promise run to its end', async () => {
    await closeRule(db, { ruleId, userId: streamer.userId }, START_MS);
    expect(await points()).toMatchObject({ state: 'open', settlement: null });
    await deliver();
    expect((await points()).settlement).toBe('fulfil');
  });

  test('a viewer who deletes the account gets them back', async () => {
    const { twitchId, userId } = viewer;
    await updateTwitchTokens(db, {
      vault,
      twitchId,
      grant: viewerGrant,
      replacesObtainedAtMs: START_MS,
    });
    const [user] = await db.read.select().from(users).where(eq(users.id, userId));
    const left = await deleteAccount(db, { vault, userId, proof: user?.email ?? '' }, START_MS + hour);
    expect(left.ok).toBe(true);
    expect(await points()).toMatchObject({ settlement: 'refund', refundReason: 'recalled', twitchId });
  });
});

describe('What the streamer does by hand on Twitch', () => {
  test('a refund ends the promise, and the next viewer may get the reward', async () => {
    await report('CANCELED');
    expect(await points()).toMatchObject({ state: 'refunded', settlement: null, refundReason: null });
    expect(await rewardsOf(db, ruleId)).toMatchObject([
      { state: 'recalled', recallReason: 'pointsGivenBack' },
      { state: 'free' },
    ]);
    const next = await redeem(db, ruleId, await addPerson(db), { nowMs: START_MS + hour });
    expect(next.rewardId).not.toBeNull();
  });

  test('a refund withdraws a queued claim', async () => {
    const transferId = await claim();
    await report('CANCELED');
    expect(await transferOf(db, transferId)).toMatchObject({
      state: 'cancelled',
      lastError: 'redemptionUnmet',
    });
    expect(await states()).toEqual(['recalled', 'free']);
    expect(await sendQueued(db, START_MS + hour)).toEqual([]);
  });

  test.each([
    ['is being sent', [], 'sending'],
    ['may be with Steam', [{ event: 'answerLost' }], 'uncertain'],
    ['waits for the bot’s confirmation', [{ event: 'created', offerId: '7' }], 'unconfirmed'],
    ['is with Steam', [{ event: 'sent', offerId: '7' }], 'sent'],
  ] as const)('a refund requests cancelling an offer that %s', async (_name, changes, state) => {
    const transferId = await claim();
    await lease(transferId);
    for (const each of changes) await reportTransfer(db, transferId, each, START_MS);
    for (const nowMs of [START_MS + hour, START_MS + 2 * hour]) await report('CANCELED', nowMs);
    expect(await transferOf(db, transferId)).toMatchObject({ state, cancelWanted: true });
    expect(await states()).toEqual(['reserved']);
  });

  test('an offer cancelled in time recalls the reward, with the reason, and frees the item', async () => {
    const transferId = await send();
    await report('CANCELED');
    // The viewer's own cancellation does not change the reason.
    await cancelTransfer(db, { transferId, userId: viewer.userId }, START_MS + hour);
    const { offerId } = await transferOf(db, transferId);
    const cancelled = { offerId: offerId ?? '', steamState: 'Canceled' } as const;
    for (const nowMs of [START_MS + 2 * hour, LATE_MS]) await reportOffer(db, transferId, cancelled, nowMs);
    expect(await rewardsOf(db, ruleId)).toMatchObject([
      { state: 'recalled', recallReason: 'pointsGivenBack', steamId: null },
      { state: 'free' },
    ]);
    expect((await itemsOf(db, streamer.userId)).map(({ state }) => state)).toEqual(['held']);
    expect((await lastStep(transferId))?.detail).toBe('redemptionUnmet');
    expect(await mailsToOwner()).toEqual([]);
    const next = await redeem(db, ruleId, await addPerson(db), { nowMs: START_MS + 3 * hour });
    expect(next.rewardId).not.toBeNull();
  });

  test('an offer that ends after the claim window still gives the refund as the reason', async () => {
    const transferId = await send();
    await report('CANCELED');
    await reportTransfer(db, transferId, { event: 'cancelled' }, LATE_MS);
    expect((await rewardsOf(db, ruleId))[0]).toMatchObject({ recallReason: 'pointsGivenBack' });
  });

  test('a failed sending is not repeated: the claim is withdrawn', async () => {
    const transferId = await claim();
    await lease(transferId);
    await report('CANCELED');
    const deferred = { event: 'deferred', error: 'steamBusy', runAtMs: START_MS } as const;
    await reportTransfer(db, transferId, deferred, START_MS + hour);
    expect(await sendQueued(db, START_MS + 2 * hour)).toEqual([]);
    await reportTransfer(db, transferId, { event: 'withdrawn' }, START_MS + 2 * hour);
    expect(await states()).toEqual(['recalled', 'free']);
  });

  test('a claim with refunded points stays queued, however recently it was checked', async () => {
    const transferId = await claim();
    // Only the refund itself can stop it: nobody has requested its cancellation.
    await db.transaction(async (tx) => {
      await tx.update(redemptions).set({ state: 'refunded' }).where(eq(redemptions.id, reported.id));
    });
    const { botId, state, cancelWanted } = await transferOf(db, transferId);
    expect({ state, cancelWanted }).toEqual({ state: 'queued', cancelWanted: false });
    const wanted = { botId, holder: 'test', checkedClaims: [transferId] };
    expect(await leaseTransfers(db, wanted, START_MS, Date.now())).toEqual([]);
  });

  test('an offer accepted first belongs to the viewer, and the streamer gets one mail', async () => {
    const transferId = await send();
    await report('CANCELED');
    await acceptOffer(db, transferId, await assetsIn(db, transferId), START_MS + 2 * hour);
    await acceptOffer(db, transferId, await assetsIn(db, transferId), START_MS + 2 * hour);
    await report('CANCELED', LATE_MS);
    expect(await states()).toEqual(['claimed']);
    expect(await points()).toMatchObject({ state: 'refunded', settlement: null });
    expect((await listRulePromises(db, owned(ruleId))).rows).toMatchObject([
      { state: 'claimed', pointsBack: true },
    ]);
    expect(await mailsToOwner()).toMatchObject([
      { template: 'deliveredWithoutPoints', values: { item: 'Demo case', rule: 'Demo rule' } },
    ]);
  });

  test('points refunded after the delivery was recorded are reported in the same way', async () => {
    await deliver();
    await report('CANCELED');
    await report('CANCELED', LATE_MS);
    expect(await states()).toEqual(['claimed']);
    expect(await points()).toMatchObject({ state: 'refunded', settlement: null });
    expect(await mailsToOwner()).toMatchObject([{ template: 'deliveredWithoutPoints' }]);
  });

  test('points refunded because the delivery was reversed are not reported', async () => {
    const transferId = await deliver();
    const { appId, newAssetId } = (await assetsIn(db, transferId))[0]!;
    const moved = [{ appId, assetId: newAssetId ?? '', newAssetId: '1', newContextId: '2' }];
    await reportTransfer(db, transferId, { event: 'reversed', moved }, START_MS + day);
    await report('CANCELED', LATE_MS);
    expect(await points()).toMatchObject({ state: 'refunded' });
    expect(await mailsToOwner()).toEqual([]);
  });

  test('a refund during an open offer ends the promise when the offer ends undelivered', async () => {
    const transferId = await send();
    await report('CANCELED');
    const { offerId } = await transferOf(db, transferId);
    const declined = { offerId: offerId ?? '', steamState: 'Declined' } as const;
    await reportOffer(db, transferId, declined, START_MS + 2 * hour);
    expect(await rewardsOf(db, ruleId)).toMatchObject([
      { state: 'recalled', recallReason: 'pointsGivenBack', steamId: null },
      { state: 'free' },
    ]);
  });

  test('fulfilling leaves the promise unchanged; nothing can refund the points afterwards', async () => {
    await report('FULFILLED');
    expect(await points()).toMatchObject({ state: 'fulfilled' });
    expect(await states()).toEqual(['promised']);
    await expirePromises(db, LATE_MS, Date.now());
    expect(await points()).toMatchObject({ state: 'fulfilled', settlement: null, refundReason: null });
  });

  test('an end is final, whatever is reported afterwards', async () => {
    await report('CANCELED');
    for (const status of ['UNFULFILLED', 'FULFILLED', 'CANCELED'] as const) await report(status, LATE_MS);
    expect(await points()).toMatchObject({ state: 'refunded', endedAtMs: START_MS + hour });
  });

  test('deleting the custom reward fulfils its open redemptions, as on Twitch', async () => {
    const twitchRewardId = reported.twitchRewardId;
    const gone = { ruleId, channelId: streamer.twitchId, twitchRewardId };
    expect(await recordMissingCustomReward(db, gone, LATE_MS - 3 * minute)).toBeNull();
    expect(await recordMissingCustomReward(db, gone, LATE_MS - 2 * minute)).toBeNull();
    expect(await points()).toMatchObject({ state: 'open' });
    expect(await recordMissingCustomReward(db, gone, LATE_MS)).toBe(1);
    expect(await recordMissingCustomReward(db, gone, LATE_MS)).toBe(0);
    expect(await points()).toMatchObject({ state: 'fulfilled', endedAtMs: LATE_MS });
    // A late event of the old custom reward still finds its rule.
    expect(await report('FULFILLED')).toMatchObject({ ok: true, first: false });
  });
});

describe('An unconfirmed end, because Twitch does not know the redemption', () => {
  const at = START_MS + 2 * day;
  const miss = async (times = MAX_MISSED_POLLS) => {
    let believed = false;
    for (let n = 0; n < times; n += 1)
      believed = await recordMissingRedemption(db, { id: reported.id, channelId: streamer.twitchId }, at);
    return believed;
  };

  test('is assumed as settled after many reads in a row', async () => {
    await deliver();
    expect(await miss(MAX_MISSED_POLLS - 1)).toBe(false);
    expect(await points()).toMatchObject({ state: 'open', settlement: 'fulfil' });
    await report('UNFULFILLED');
    expect(await miss(MAX_MISSED_POLLS - 1)).toBe(false);
    expect(await miss(1)).toBe(true);
    expect(await points()).toMatchObject({ state: 'fulfilled', settlement: null, endedAtMs: at });
    expect(await miss(1)).toBe(false);
  });

  test('is not assumed for points without a settlement', async () => {
    expect(await miss()).toBe(false);
    expect(await points()).toMatchObject({ state: 'open', settlement: null, missedPolls: 0 });
  });

  test('is undone once Twitch lists it in the queue, and settled again', async () => {
    await expirePromises(db, LATE_MS, Date.now());
    expect(await miss()).toBe(true);
    expect(await points()).toMatchObject({ state: 'refunded', refundReason: 'recalled' });
    await report('UNFULFILLED', LATE_MS);
    const reopened = { state: 'open', settlement: 'refund', refundReason: 'recalled', endedAtMs: null };
    expect(await points()).toMatchObject({ ...reopened, runAtMs: 0, attempts: 0, missedPolls: 0 });
    expect(await states()).toEqual(['recalled', 'free']);
    await report('CANCELED', LATE_MS);
    await report('UNFULFILLED', LATE_MS);
    expect(await points()).toMatchObject({ state: 'refunded', settlement: null });
  });

  test.each([
    ['CANCELED', 'refunded'],
    ['FULFILLED', 'fulfilled'],
  ] as const)('is replaced by Twitch’s answer: %s', async (status, state) => {
    await deliver();
    expect(await miss()).toBe(true);
    await report(status, LATE_MS);
    expect(await points()).toMatchObject({ state, settlement: null, endedAtMs: LATE_MS, missedPolls: 0 });
    expect(await states()).toEqual(['claimed']);
  });
});

describe('Events out of order', () => {
  test('points refunded before the redemption was recorded promise nothing', async () => {
    const other = await addPerson(db);
    const second = await addPointsRule(db, streamer, { name: 'Second' });
    const { reported: late, first } = await redeem(db, second, other, { status: 'CANCELED' });
    expect(first).toBe(true);
    await recordRedemption(db, { ...late, status: 'UNFULFILLED' }, START_MS + hour);
    expect(await redemptionOf(db, late.id)).toMatchObject({
      state: 'refunded',
      rewardId: null,
      settlement: null,
    });
    expect((await rewardsOf(db, second)).map(({ state }) => state)).toEqual(['free']);
  });

  test('points fulfilled before the redemption was recorded get a promise like any other', async () => {
    const other = await addPerson(db);
    const second = await addPointsRule(db, streamer, { name: 'Second' });
    const { reported: late, rewardId: promised } = await redeem(db, second, other, {
      status: 'FULFILLED',
    });
    expect(promised).not.toBeNull();
    expect(await redemptionOf(db, late.id)).toMatchObject({ state: 'fulfilled', rewardId: promised });
    const nobody = await redeem(db, second, { twitchId: '999000' }, { status: 'FULFILLED' });
    expect(await redemptionOf(db, nobody.reported.id)).toMatchObject({
      state: 'fulfilled',
      settlement: null,
    });
  });
});
