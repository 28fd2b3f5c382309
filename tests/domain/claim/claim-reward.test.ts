import { asc, eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { items } from '#db/schema/item.ts';
import { rewards } from '#db/schema/reward.ts';
import { transferItems, transfers } from '#db/schema/transfer.ts';
import { accrueWatchTime } from '#domain/audience/accrue-watch-time.ts';
import { claimReward } from '#domain/claim/claim-reward.ts';
import { hour, minute } from '#domain/kernel/time.ts';
import { expirePromises } from '#domain/reward/expire-promises.ts';
import { cancelTransfer } from '#domain/transfer/cancel-transfer.ts';
import { reportOffer } from '#domain/transfer/report-offer.ts';
import { recordStream } from '#domain/watch-time/record-stream.ts';
import { openTestDatabase, type TestDatabase } from '#tests/support/database.ts';
import {
  acceptOffer,
  addBot,
  addPerson,
  addRule,
  addStreamer,
  type Person,
  START_MS,
  sendQueued,
} from '#tests/support/fixtures.ts';

const stream = { streamId: 's1', startedAtMs: START_MS, gameName: 'Demo game', title: 'Demo' };

/** Lets viewers watch a channel for this many minutes. Returns the time at the end. */
async function watch(
  db: TestDatabase,
  streamer: Person,
  viewers: Person[],
  minutes: number,
  fromMs = START_MS,
) {
  await recordStream(db, { channelId: streamer.twitchId, stream }, fromMs);
  let nowMs = fromMs;
  for (let done = 0; done < minutes; done++) {
    nowMs += minute;
    const reading = {
      channelId: streamer.twitchId,
      streamId: 's1',
      twitchIds: new Set(viewers.map((each) => each.twitchId)),
    };
    await accrueWatchTime(db, reading, nowMs);
  }
  return nowMs;
}

async function promiseOne(db: TestDatabase) {
  await addBot(db);
  const streamer = await addStreamer(db);
  const viewer = await addPerson(db);
  const ruleId = await addRule(db, streamer, { watchMinutes: 10 });
  const nowMs = await watch(db, streamer, [viewer], 10);
  const [reward] = await db.read.select().from(rewards).where(eq(rewards.ruleId, ruleId));
  return { streamer, viewer, ruleId, nowMs, reward: reward! };
}

test('The offer of a claim has the code that its viewer was shown, which depends on the claim before', async () => {
  await using db = await openTestDatabase();
  const { viewer, reward, nowMs } = await promiseOne(db);
  const claim = () =>
    claimReward(
      db,
      { rewardId: reward.id, userId: viewer.userId, codeAfter: (last) => `after ${last}` },
      nowMs,
    );
  await claim();
  const [first] = await db.read.select().from(transfers).where(eq(transfers.rewardId, reward.id));
  expect(first?.securityCode).toBe('after null');
  await cancelTransfer(db, { transferId: first!.id, userId: viewer.userId }, nowMs);
  await claim();
  const all = await db.read.select().from(transfers).where(eq(transfers.rewardId, reward.id));
  expect(all.map(({ securityCode }) => securityCode).sort()).toEqual([`after ${first!.id}`, 'after null']);
});

test('A viewer who watched long enough is promised a reward, claims it and receives it', async () => {
  await using db = await openTestDatabase();
  const { viewer, reward, nowMs } = await promiseOne(db);
  expect(reward).toMatchObject({ state: 'promised', userId: viewer.userId, claimUntilMs: nowMs + 72 * hour });

  expect(await claimReward(db, { rewardId: reward.id, userId: viewer.userId }, nowMs)).toEqual({
    ok: true,
    rewardId: reward.id,
  });
  const again = await claimReward(db, { rewardId: reward.id, userId: viewer.userId }, nowMs);
  expect(again).toEqual({ ok: true, rewardId: reward.id });
  const [sent, ...more] = await sendQueued(db, nowMs);
  expect(more).toEqual([]);
  const assets = await db.read.select().from(transferItems).where(eq(transferItems.transferId, sent!.id));
  await acceptOffer(db, sent!.id, assets, nowMs);

  const [after] = await db.read.select().from(rewards).where(eq(rewards.id, reward.id));
  expect(after).toMatchObject({ state: 'claimed', claimedAtMs: nowMs, steamId: viewer.steamId });
  const [item] = await db.read.select().from(items).where(eq(items.id, reward.itemId));
  expect(item?.state).toBe('delivered');
});

test('Nobody else can claim a reward', async () => {
  await using db = await openTestDatabase();
  const { streamer, reward, nowMs } = await promiseOne(db);
  const refused = await claimReward(db, { rewardId: reward.id, userId: streamer.userId }, nowMs);
  expect(refused).toEqual({ ok: false, code: 'notFound' });
});

test('A declined offer restores the promise while the claim window is open, and ends it afterwards', async () => {
  await using db = await openTestDatabase();
  const { viewer, reward, nowMs } = await promiseOne(db);
  const claim = { rewardId: reward.id, userId: viewer.userId };
  await claimReward(db, claim, nowMs);
  const [first] = await sendQueued(db, nowMs);
  await reportOffer(db, first!.id, { offerId: first!.offerId, steamState: 'Declined' }, nowMs);
  const [promised] = await db.read.select().from(rewards).where(eq(rewards.id, reward.id));
  expect(promised).toMatchObject({ state: 'promised', steamId: null });

  await claimReward(db, claim, nowMs);
  const [second] = await sendQueued(db, nowMs);
  const lateMs = nowMs + 73 * hour;
  await reportOffer(db, second!.id, { offerId: second!.offerId, steamState: 'Expired' }, lateMs);
  const rows = await db.read.select().from(rewards).where(eq(rewards.itemId, reward.itemId));
  expect(rows.map((row) => row.state).sort()).toEqual(['free', 'recalled']);
});

test('A promise not claimed in time passes to the next viewer in line', async () => {
  await using db = await openTestDatabase();
  await addBot(db);
  const streamer = await addStreamer(db);
  const [first, second] = [await addPerson(db), await addPerson(db)];
  const ruleId = await addRule(db, streamer, { watchMinutes: 10 });
  const firstAtMs = await watch(db, streamer, [first], 10);
  await watch(db, streamer, [second], 10, firstAtMs);
  const lateMs = firstAtMs + 72 * hour;
  expect(await expirePromises(db, lateMs, Date.now())).toBe(1);
  const rows = await db.read
    .select()
    .from(rewards)
    .where(eq(rewards.ruleId, ruleId))
    .orderBy(asc(rewards.id));
  expect(rows.map(({ state, userId }) => ({ state, userId }))).toEqual([
    { state: 'recalled', userId: first.userId },
    { state: 'promised', userId: second.userId },
  ]);
});

test('One claim per rule and Steam account', async () => {
  await using db = await openTestDatabase();
  const { viewer, reward, nowMs } = await promiseOne(db);
  await claimReward(db, { rewardId: reward.id, userId: viewer.userId }, nowMs);
  const live = await db.read.select().from(transfers).where(eq(transfers.rewardId, reward.id));
  expect(live).toHaveLength(1);
});
