import { and, asc, eq, ne } from 'drizzle-orm';
import { beforeEach, describe, expect, test } from 'vitest';
import { mails } from '#db/schema/outbox.ts';
import { redemptions } from '#db/schema/redemption.ts';
import { transferSteps, transfers } from '#db/schema/transfer.ts';
import { users } from '#db/schema/user.ts';
import { deleteAccount } from '#domain/account/delete-account.ts';
import { updateTwitchTokens } from '#domain/account/twitch/update-twitch-tokens.ts';
import { claimReward } from '#domain/claim/claim-reward.ts';
import { day, hour } from '#domain/kernel/time.ts';
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
import { database, setScene, streamer } from '#tests/support/scene.ts';
import { vault, viewerGrant } from '../account/people.ts';

setScene();
const LATE_MS = START_MS + 73 * hour;
let viewer: Person;
let ruleId: string;
let rewardId: string;
let reported: ReportedRedemption;
beforeEach(async () => {
  viewer = await addPerson(database);
  ruleId = await addPointsRule(database, streamer);
  const redeemed = await redeem(database, ruleId, viewer);
  rewardId = redeemed.rewardId ?? '';
  reported = redeemed.reported;
});

const report = (status: ReportedRedemption['status'], nowMs = START_MS + hour) =>
  recordRedemption(database, { ...reported, status }, nowMs);
const points = () => redemptionOf(database, reported.id);
const states = async () => (await rewardsOf(database, ruleId)).map(({ state }) => state);
async function claim(): Promise<string> {
  const claimed = await claimReward(database, { rewardId, userId: viewer.userId }, START_MS);
  if (!claimed.ok) throw new Error(claimed.code);
  const [transfer] = await database.read.select().from(transfers).where(eq(transfers.rewardId, rewardId));
  return transfer?.id ?? '';
}
async function send(): Promise<string> {
  const transferId = await claim();
  const sent = await sendQueued(database, START_MS);
  expect(sent.map(({ id }) => id)).toEqual([transferId]);
  return transferId;
}
/** A bot leases it to send it. */
async function lease(transferId: string): Promise<void> {
  const { botId } = await transferOf(database, transferId);
  const wanted = { botId, holder: 'test', checkedClaims: [transferId] };
  const leased = await leaseTransfers(database, wanted, START_MS, Date.now());
  expect(leased.map(({ id }) => id)).toEqual([transferId]);
}
async function lastStep(transferId: string) {
  const steps = await database.read
    .select()
    .from(transferSteps)
    .where(eq(transferSteps.transferId, transferId))
    .orderBy(asc(transferSteps.id));
  return steps.at(-1);
}
async function mailsToOwner() {
  const [owner] = await database.read.select().from(users).where(eq(users.id, streamer.userId));
  return database.read
    .select()
    .from(mails)
    .where(and(eq(mails.recipient, owner?.email ?? ''), ne(mails.template, 'itemsUsable')));
}
async function deliver(): Promise<string> {
  const transferId = await send();
  await acceptOffer(database, transferId, await assetsIn(database, transferId), START_MS);
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
    expect(await expirePromises(database, LATE_MS, Date.now())).toBe(1);
    expect(await points()).toMatchObject({ state: 'open', settlement: 'refund', refundReason: 'recalled' });
    await report('CANCELED');
    expect(await points()).toMatchObject({ state: 'refunded', settlement: null, refundReason: 'recalled' });
    expect(await states()).toEqual(['recalled', 'free']);
  });

  test('a claim that ends undelivered within its window leaves them open', async () => {
    const transferId = await send();
    expect((await listRulePromises(database, owned(ruleId))).rows).toMatchObject([{ pointsBack: false }]);
    expect(await points()).toMatchObject({ state: 'open', settlement: null });
    await reportTransfer(database, transferId, { event: 'declined' }, START_MS + hour);
    expect(await points()).toMatchObject({ state: 'open', settlement: null });
    expect(await states()).toEqual(['promised']);
  });

  test('a delivery reversed before Twitch was called refunds them; afterwards it is too late', async () => {
    const transferId = await deliver();
    const { appId, newAssetId } = (await assetsIn(database, transferId))[0]!;
    const moved = [{ appId, assetId: newAssetId ?? '', newAssetId: '1', newContextId: '2' }];
    await reportTransfer(database, transferId, { event: 'reversed', moved }, START_MS + day);
    expect(await points()).toMatchObject({ state: 'open', settlement: 'refund', refundReason: 'recalled' });
    // Twitch has already carried out the first settlement.
    await report('FULFILLED');
    expect(await points()).toMatchObject({ state: 'fulfilled', settlement: null });
  });

  test('a closed rule first lets the promise run to its end', async () => {
    await closeRule(database, { ruleId, userId: streamer.userId }, START_MS);
    expect(await points()).toMatchObject({ state: 'open', settlement: null });
    await deliver();
    expect((await points()).settlement).toBe('fulfil');
  });

  test('a viewer who deletes the account gets them back', async () => {
    const { twitchId, userId } = viewer;
    await updateTwitchTokens(database, {
      vault,
      twitchId,
      grant: viewerGrant,
      replacesObtainedAtMs: START_MS,
    });
    const [user] = await database.read.select().from(users).where(eq(users.id, userId));
    const left = await deleteAccount(database, { vault, userId, proof: user?.email ?? '' }, START_MS + hour);
    expect(left.ok).toBe(true);
    expect(await points()).toMatchObject({ settlement: 'refund', refundReason: 'recalled', twitchId });
  });
});

describe('What the streamer does by hand on Twitch', () => {
  test('a refund ends the promise, and the next viewer may get the reward', async () => {
    await report('CANCELED');
    expect(await points()).toMatchObject({ state: 'refunded', settlement: null, refundReason: null });
    expect(await rewardsOf(database, ruleId)).toMatchObject([
      { state: 'recalled', recallReason: 'pointsGivenBack' },
      { state: 'free' },
    ]);
    const next = await redeem(database, ruleId, await addPerson(database), { nowMs: START_MS + hour });
    expect(next.rewardId).not.toBeNull();
  });

  test('a refund withdraws a queued claim', async () => {
    const transferId = await claim();
    await report('CANCELED');
    expect(await transferOf(database, transferId)).toMatchObject({
      state: 'cancelled',
      lastError: 'redemptionUnmet',
    });
    expect(await states()).toEqual(['recalled', 'free']);
    expect(await sendQueued(database, START_MS + hour)).toEqual([]);
  });

  test.each([
    ['is being sent', [], 'sending'],
    ['may be with Steam', [{ event: 'answerLost' }], 'uncertain'],
    ['waits for the bot’s confirmation', [{ event: 'created', offerId: '7' }], 'unconfirmed'],
    ['is with Steam', [{ event: 'sent', offerId: '7' }], 'sent'],
  ] as const)('a refund requests cancelling an offer that %s', async (_name, changes, state) => {
    const transferId = await claim();
    await lease(transferId);
    for (const each of changes) await reportTransfer(database, transferId, each, START_MS);
    for (const nowMs of [START_MS + hour, START_MS + 2 * hour]) await report('CANCELED', nowMs);
    expect(await transferOf(database, transferId)).toMatchObject({ state, cancelWanted: true });
    expect(await states()).toEqual(['reserved']);
  });

  test('an offer cancelled in time recalls the reward, with the reason, and frees the item', async () => {
    const transferId = await send();
    await report('CANCELED');
    // The viewer's own cancellation does not change the reason.
    await cancelTransfer(database, { transferId, userId: viewer.userId }, START_MS + hour);
    const { offerId } = await transferOf(database, transferId);
    const cancelled = { offerId: offerId ?? '', steamState: 'Canceled' } as const;
    for (const nowMs of [START_MS + 2 * hour, LATE_MS])
      await reportOffer(database, transferId, cancelled, nowMs);
    expect(await rewardsOf(database, ruleId)).toMatchObject([
      { state: 'recalled', recallReason: 'pointsGivenBack', steamId: null },
      { state: 'free' },
    ]);
    expect((await itemsOf(database, streamer.userId)).map(({ state }) => state)).toEqual(['held']);
    expect((await lastStep(transferId))?.detail).toBe('redemptionUnmet');
    expect(await mailsToOwner()).toEqual([]);
    const next = await redeem(database, ruleId, await addPerson(database), { nowMs: START_MS + 3 * hour });
    expect(next.rewardId).not.toBeNull();
  });

  test('an offer that ends after the claim window still gives the refund as the reason', async () => {
    const transferId = await send();
    await report('CANCELED');
    await reportTransfer(database, transferId, { event: 'cancelled' }, LATE_MS);
    expect((await rewardsOf(database, ruleId))[0]).toMatchObject({ recallReason: 'pointsGivenBack' });
  });

  test('a failed sending is not repeated: the claim is withdrawn', async () => {
    const transferId = await claim();
    await lease(transferId);
    await report('CANCELED');
    const deferred = { event: 'deferred', error: 'steamBusy', runAtMs: START_MS } as const;
    await reportTransfer(database, transferId, deferred, START_MS + hour);
    expect(await sendQueued(database, START_MS + 2 * hour)).toEqual([]);
    await reportTransfer(database, transferId, { event: 'withdrawn' }, START_MS + 2 * hour);
    expect(await states()).toEqual(['recalled', 'free']);
  });

  test('a claim with refunded points stays queued, however recently it was checked', async () => {
    const transferId = await claim();
    // Only the refund itself can stop it: nobody has requested its cancellation.
    await database.transaction(async (tx) => {
      await tx.update(redemptions).set({ state: 'refunded' }).where(eq(redemptions.id, reported.id));
    });
    const { botId, state, cancelWanted } = await transferOf(database, transferId);
    expect({ state, cancelWanted }).toEqual({ state: 'queued', cancelWanted: false });
    const wanted = { botId, holder: 'test', checkedClaims: [transferId] };
    expect(await leaseTransfers(database, wanted, START_MS, Date.now())).toEqual([]);
  });

  test('an offer accepted first belongs to the viewer, and the streamer gets one mail', async () => {
    const transferId = await send();
    await report('CANCELED');
    await acceptOffer(database, transferId, await assetsIn(database, transferId), START_MS + 2 * hour);
    await acceptOffer(database, transferId, await assetsIn(database, transferId), START_MS + 2 * hour);
    await report('CANCELED', LATE_MS);
    expect(await states()).toEqual(['claimed']);
    expect(await points()).toMatchObject({ state: 'refunded', settlement: null });
    expect((await listRulePromises(database, owned(ruleId))).rows).toMatchObject([
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
    const { appId, newAssetId } = (await assetsIn(database, transferId))[0]!;
    const moved = [{ appId, assetId: newAssetId ?? '', newAssetId: '1', newContextId: '2' }];
    await reportTransfer(database, transferId, { event: 'reversed', moved }, START_MS + day);
    await report('CANCELED', LATE_MS);
    expect(await points()).toMatchObject({ state: 'refunded' });
    expect(await mailsToOwner()).toEqual([]);
  });

  test('a refund during an open offer ends the promise when the offer ends undelivered', async () => {
    const transferId = await send();
    await report('CANCELED');
    const { offerId } = await transferOf(database, transferId);
    const declined = { offerId: offerId ?? '', steamState: 'Declined' } as const;
    await reportOffer(database, transferId, declined, START_MS + 2 * hour);
    expect(await rewardsOf(database, ruleId)).toMatchObject([
      { state: 'recalled', recallReason: 'pointsGivenBack', steamId: null },
      { state: 'free' },
    ]);
  });

  test('fulfilling leaves the promise unchanged; nothing can refund the points afterwards', async () => {
    await report('FULFILLED');
    expect(await points()).toMatchObject({ state: 'fulfilled' });
    expect(await states()).toEqual(['promised']);
    await expirePromises(database, LATE_MS, Date.now());
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
    expect(await recordMissingCustomReward(database, gone, LATE_MS)).toBe(1);
    expect(await recordMissingCustomReward(database, gone, LATE_MS)).toBe(0);
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
      believed = await recordMissingRedemption(
        database,
        { id: reported.id, channelId: streamer.twitchId },
        at,
      );
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
    await expirePromises(database, LATE_MS, Date.now());
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
    const other = await addPerson(database);
    const second = await addPointsRule(database, streamer, { name: 'Second' });
    const { reported: late, first } = await redeem(database, second, other, { status: 'CANCELED' });
    expect(first).toBe(true);
    await recordRedemption(database, { ...late, status: 'UNFULFILLED' }, START_MS + hour);
    expect(await redemptionOf(database, late.id)).toMatchObject({
      state: 'refunded',
      rewardId: null,
      settlement: null,
    });
    expect((await rewardsOf(database, second)).map(({ state }) => state)).toEqual(['free']);
  });

  test('points fulfilled before the redemption was recorded get a promise like any other', async () => {
    const other = await addPerson(database);
    const second = await addPointsRule(database, streamer, { name: 'Second' });
    const { reported: late, rewardId: promised } = await redeem(database, second, other, {
      status: 'FULFILLED',
    });
    expect(promised).not.toBeNull();
    expect(await redemptionOf(database, late.id)).toMatchObject({ state: 'fulfilled', rewardId: promised });
    const nobody = await redeem(database, second, { twitchId: '999000' }, { status: 'FULFILLED' });
    expect(await redemptionOf(database, nobody.reported.id)).toMatchObject({
      state: 'fulfilled',
      settlement: null,
    });
  });
});
