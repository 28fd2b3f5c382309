import { desc, eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { twitchAccounts } from '#db/schema/account.ts';
import { channels } from '#db/schema/channel.ts';
import { items } from '#db/schema/item.ts';
import { rewards } from '#db/schema/reward.ts';
import { transfers } from '#db/schema/transfer.ts';
import { setPreferences } from '#domain/account/set-preferences.ts';
import { setChannelHidden } from '#domain/channel/channel-visibility.ts';
import { findPublicChannel } from '#domain/channel/find-public-channel.ts';
import { claimReward } from '#domain/claim/claim-reward.ts';
import { newId } from '#domain/kernel/id.ts';
import { day, hour, minute } from '#domain/kernel/time.ts';
import { expirePromises } from '#domain/reward/expire-promises.ts';
import { listFreeKinds } from '#domain/reward/list-free-kinds.ts';
import { closeRule } from '#domain/rule/close-rule.ts';
import { listPublicRules } from '#domain/rule/list-public-rules.ts';
import { cancelTransfer } from '#domain/transfer/cancel-transfer.ts';
import { COUNTED_PROMISES, getDeliveries } from '#domain/view/get-deliveries.ts';
import {
  acceptOffer,
  addPerson,
  addRule,
  addStreamer,
  type Person,
  START_MS,
  sendQueued,
} from '#tests/support/fixtures.ts';
import { assetsIn } from '#tests/support/looking.ts';
import { promiseTo } from '#tests/support/promises.ts';
import { db, setScene, streamer } from '#tests/support/scene.ts';

setScene();
const loginOf = ({ twitchId }: Person) => `demo_channel_${twitchId}`;

/** The viewer claims their promise, and accepts after the given time. */
async function receive(rewardId: string, viewer: Person, afterMs: number): Promise<void> {
  await claimReward(db, { rewardId, userId: viewer.userId }, START_MS);
  await sendQueued(db, START_MS);
  const [transfer] = await db.read
    .select()
    .from(transfers)
    .where(eq(transfers.rewardId, rewardId))
    .orderBy(desc(transfers.id))
    .limit(1);
  const assets = await assetsIn(db, transfer!.id);
  await acceptOffer(db, transfer!.id, assets, START_MS + afterMs);
}

test('A channel has a public page once it had a rule, whatever case its login is written in, until it is hidden', async () => {
  expect(await findPublicChannel(db, loginOf(streamer))).toBeNull();
  const ruleId = await addRule(db, streamer, { rewards: 0 });
  await db.transaction(async (tx) => {
    await tx.update(channels).set({ live: true, streamStartedAtMs: START_MS, title: 'Ranked' });
  });
  const page = { id: streamer.twitchId, title: 'Ranked', streamStartedAtMs: START_MS };
  expect(await findPublicChannel(db, loginOf(streamer).toUpperCase())).toMatchObject(page);
  await closeRule(db, { ruleId, userId: streamer.userId }, START_MS);
  expect(await findPublicChannel(db, loginOf(streamer))).toMatchObject(page);
  await setChannelHidden(db, { userId: streamer.userId, hidden: true }, START_MS);
  expect(await findPublicChannel(db, loginOf(streamer))).toBeNull();
});

test('Only what Twitch allows as a login is looked for', async () => {
  await addRule(db, streamer, { rewards: 0 });
  const isFound = async (login: string) => {
    await db.transaction(async (tx) => {
      await tx.update(channels).set({ login });
    });
    return (await findPublicChannel(db, login)) !== null;
  };
  expect([await isFound('a'), await isFound('a_1'.repeat(20))]).toEqual([true, true]);
  for (const login of ['', 'a'.repeat(61), 'demo-channel', 'demo channel', ' demo', 'demo.'])
    expect(await isFound(login), login).toBe(false);
});

test('A login that has passed on belongs to the channel seen last', async () => {
  const later = await addStreamer(db);
  for (const each of [streamer, later]) await addRule(db, each, { rewards: 0 });
  await db.transaction(async (tx) => {
    await tx
      .update(channels)
      .set({ login: loginOf(streamer), lastSeenAtMs: START_MS + hour })
      .where(eq(channels.id, later.twitchId));
  });
  expect((await findPublicChannel(db, loginOf(streamer)))?.id).toBe(later.twitchId);
});

test('Open rules are shown with their pools, and one picture for each kind that is free', async () => {
  const open = await addRule(db, streamer, { name: 'Open', rewards: 3 });
  const closed = await addRule(db, streamer, { name: 'Closed', rewards: 1 });
  await closeRule(db, { ruleId: closed, userId: streamer.userId }, START_MS);
  const rules = await listPublicRules(db, streamer.twitchId);
  expect(rules).toMatchObject([{ id: open, name: 'Open', pool: { free: 3 }, waiting: 0 }]);
  expect(await listFreeKinds(db, [streamer.twitchId])).toMatchObject([
    { ruleId: open, channelId: streamer.twitchId, marketHashName: 'Demo case' },
  ]);
});

test('The record counts what became of promises, and names who does not hide', async () => {
  const viewers = [await addPerson(db), await addPerson(db), await addPerson(db), await addPerson(db)];
  const { rewards: promised } = await promiseTo(db, streamer, viewers);
  const rewardOf = (viewer: Person) => promised.find(({ userId }) => userId === viewer.userId)!.id;
  const [quick, slow, late, hiding] = viewers as [Person, Person, Person, Person];
  await setPreferences(db, { userId: hiding.userId, preferences: { hidesName: true } });
  await db.transaction((tx) => tx.update(items).set({ wear: '0.219200000' }).execute());
  await claimReward(db, { rewardId: rewardOf(quick), userId: quick.userId }, START_MS);
  expect((await getDeliveries(db, streamer.twitchId)).record).toMatchObject({
    delivered: 0,
    underWay: 4,
  });
  await receive(rewardOf(quick), quick, 2 * minute);
  await receive(rewardOf(hiding), hiding, 4 * minute);
  await receive(rewardOf(slow), slow, 9 * minute);
  const before = await getDeliveries(db, streamer.twitchId);
  expect(before.record).toEqual({
    promised: 4,
    delivered: 3,
    timedOut: 0,
    reversed: 0,
    underWay: 1,
    medianMs: 4 * minute,
    sinceMs: START_MS,
    isWhole: true,
    stopped: { accountStolen: 0, ruleAbused: 0, mistake: 0 },
  });
  expect(before.latest.map(({ viewer }) => viewer?.displayName ?? null)).toEqual([
    expect.stringMatching(/^Demo_Person/),
    null,
    expect.stringMatching(/^Demo_Person/),
  ]);
  expect(before.latest[0]).toMatchObject({
    ruleName: 'Demo rule',
    item: { name: 'Demo case', wear: '0.219200000' },
  });
  await expirePromises(db, START_MS + 4 * day, Date.now());
  const { record } = await getDeliveries(db, streamer.twitchId);
  expect(record).toMatchObject({ delivered: 3, timedOut: 1, underWay: 0 });
  expect(rewardOf(late)).toBeTruthy();
});

test('A channel without promises has an empty record', async () => {
  const { record, latest } = await getDeliveries(db, streamer.twitchId);
  expect(record).toMatchObject({ promised: 0, medianMs: null, sinceMs: null, isWhole: true });
  expect([latest, await db.read.select().from(rewards)]).toEqual([[], []]);
});

test('The latest five deliveries are shown, newest first, without the names of those who left', async () => {
  const viewers = await Promise.all(Array.from({ length: 6 }, () => addPerson(db)));
  const { rewards: promised } = await promiseTo(db, streamer, viewers);
  const idOf = (viewer: Person) => promised.find(({ userId }) => userId === viewer.userId)!.id;
  const [first] = viewers;
  await claimReward(db, { rewardId: idOf(first!), userId: first!.userId }, START_MS);
  const [cancelled] = await db.read.select().from(transfers);
  await cancelTransfer(db, { transferId: cancelled!.id, userId: first!.userId }, START_MS);
  const promisedLast = (await db.read.select().from(rewards).orderBy(desc(rewards.id)))[0]!.twitchId;
  // The last viewer to be promised a reward receives first, so the latest deliveries are not those of the
  // latest promises.
  const inOrder = viewers.toSorted((a, b) =>
    a.twitchId === promisedLast ? -1 : b.twitchId === promisedLast ? 1 : 0,
  );
  for (const [nth, viewer] of inOrder.entries()) await receive(idOf(viewer), viewer, (nth + 1) * minute);
  await db.transaction(async (tx) => {
    await tx.delete(twitchAccounts).where(eq(twitchAccounts.twitchId, inOrder[5]!.twitchId));
  });
  const { record, latest } = await getDeliveries(db, streamer.twitchId);
  expect(record).toMatchObject({ promised: 6, delivered: 6, medianMs: 3 * minute });
  expect(latest.map(({ id }) => id)).toEqual(inOrder.slice(1).reverse().map(idOf));
  expect(latest.map(({ viewer }) => viewer !== null)).toEqual([false, true, true, true, true]);
  expect(latest[0]?.deliveredAtMs).toBe(START_MS + 6 * minute);
});

test('Only the latest promises are counted, and only those of the channel', async () => {
  const other = await addStreamer(db);
  await promiseTo(db, other, [await addPerson(db)]);
  const { rewards: promised } = await promiseTo(db, streamer, [await addPerson(db)]);
  const [pattern] = promised;
  const past = Array.from({ length: COUNTED_PROMISES }, (_, nth) => ({
    ...pattern!,
    id: newId(START_MS),
    twitchId: `left-${nth}`,
    userId: null,
    state: 'recalled' as const,
    recallReason: nth === 0 ? ('reversed' as const) : ('timedOut' as const),
    promisedAtMs: START_MS - 1 - nth,
  }));
  const record = async () => (await getDeliveries(db, streamer.twitchId)).record;
  expect(await record()).toMatchObject({ promised: 1, underWay: 1, isWhole: true });
  await db.transaction(async (tx) => {
    await tx.insert(rewards).values(past.slice(1));
  });
  expect(await record()).toMatchObject({ promised: COUNTED_PROMISES, timedOut: 199, isWhole: true });
  await db.transaction(async (tx) => {
    await tx.insert(rewards).values(past.slice(0, 1));
  });
  expect(await record()).toMatchObject({
    promised: COUNTED_PROMISES,
    underWay: 1,
    timedOut: 198,
    reversed: 1,
    sinceMs: START_MS - COUNTED_PROMISES + 1,
    isWhole: false,
  });
});
