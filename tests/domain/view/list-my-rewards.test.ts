import { expect, test } from 'vitest';
import { outages } from '#db/schema/bot.ts';
import { rewards } from '#db/schema/reward.ts';
import { claimReward } from '#domain/claim/claim-reward.ts';
import { hour } from '#domain/kernel/time.ts';
import { getMyReward, hasAnyReward, listDelivered, listMyRewards } from '#domain/view/list-my-rewards.ts';
import {
  acceptOffer,
  addPerson,
  addStreamer,
  type Person,
  START_MS,
  sendQueued,
} from '#tests/support/fixtures.ts';
import { assetsIn } from '#tests/support/looking.ts';
import { promiseTo } from '#tests/support/promises.ts';
import { botId, db, setScene, streamer } from '#tests/support/scene.ts';

setScene();

type Asked = Partial<Parameters<typeof listMyRewards>[1]>;
const list = (viewer: Person, more: Asked = {}) =>
  listMyRewards(db, { userId: viewer.userId, states: ['promised', 'reserved'], ...more });
const idsOf = async (viewer: Person, more: Asked = {}) => (await list(viewer, more)).rows.map(({ id }) => id);

test('Rewards are listed latest first, in pages, and can be filtered by channel', async () => {
  const [viewer, another] = [await addPerson(db), await addPerson(db)];
  const other = await addStreamer(db);
  const promise = async (by: Person, nowMs: number) =>
    (await promiseTo(db, by, [viewer], { nowMs })).rewards[0]!.id;
  const first = await promise(streamer, START_MS);
  const second = await promise(other, START_MS + hour);
  const third = await promise(streamer, START_MS + 2 * hour);

  expect(await idsOf(viewer)).toEqual([third, second, first]);
  expect(await idsOf(viewer, { channelId: streamer.twitchId })).toEqual([third, first]);
  expect(await idsOf(viewer, { channelId: other.twitchId })).toEqual([second]);
  expect(await idsOf(viewer, { channelId: another.twitchId })).toEqual([]);
  expect(await idsOf(viewer, { states: ['claimed'] })).toEqual([]);
  expect(await idsOf(another)).toEqual([]);

  const page = await list(viewer, { size: 2 });
  expect(page.rows.map(({ id }) => id)).toEqual([third, second]);
  expect(await idsOf(viewer, { size: 2, after: page.next })).toEqual([first]);
  expect((await list(viewer, { size: 3 })).next).toBeNull();
});

test('Only the viewer sees a reward, with its offer while the transfer is live', async () => {
  const [viewer, another] = [await addPerson(db), await addPerson(db)];
  const { rewards } = await promiseTo(db, streamer, [viewer]);
  const rewardId = rewards[0]!.id;
  const get = (person: Person) => getMyReward(db, { rewardId, userId: person.userId });
  expect(await get(another)).toBeNull();
  expect(await get(viewer)).toMatchObject({ id: rewardId, state: 'promised', offer: null, outages: [] });

  await claimReward(db, { rewardId, userId: viewer.userId }, START_MS + hour);
  expect((await get(viewer))?.offer).toMatchObject({ state: 'queued', offerId: null, sentAtMs: null });
  const [sent] = await sendQueued(db, START_MS + 2 * hour);
  expect((await get(viewer))?.offer).toMatchObject({
    transferId: sent!.id,
    offerId: sent!.offerId,
    state: 'sent',
    sentAtMs: START_MS + 2 * hour,
    bot: { name: botId },
  });
});

test('A reward shows the outages that extended its window, and none that ended when it was promised', async () => {
  const viewer = await addPerson(db);
  await promiseTo(db, await addStreamer(db), [viewer], { nowMs: START_MS - 2 * hour });
  await promiseTo(db, streamer, [viewer]);
  await db.transaction(async (tx) => {
    await tx.insert(outages).values([
      { id: 'before', endedAtMs: START_MS, lastedMs: hour },
      { id: 'since', endedAtMs: START_MS + 2 * hour, lastedMs: hour },
    ]);
    await tx.update(rewards).set({ claimShiftedMs: hour });
  });
  const { rows } = await list(viewer);
  expect(rows.map((row) => row.outages)).toEqual([
    [{ fromMs: START_MS + hour, untilMs: START_MS + 2 * hour }],
    [{ fromMs: START_MS - hour, untilMs: START_MS }],
  ]);
});

test('What was delivered since a time is listed, and nothing that is still on its way', async () => {
  const [viewer, another] = [await addPerson(db), await addPerson(db)];
  const delivered: string[] = [];
  for (const nth of [1, 2]) {
    const { rewards: made } = await promiseTo(db, streamer, [viewer]);
    const rewardId = made[0]!.id;
    await claimReward(db, { rewardId, userId: viewer.userId }, START_MS);
    const [sent] = await sendQueued(db, START_MS);
    await acceptOffer(db, sent!.id, await assetsIn(db, sent!.id), START_MS + nth * hour);
    delivered.unshift(rewardId);
  }
  await promiseTo(db, streamer, [viewer]);
  const since = async (sinceMs: number, { userId } = viewer) =>
    (await listDelivered(db, { userId, sinceMs })).map(({ id }) => id);
  expect(await since(START_MS)).toEqual(delivered.toSorted().reverse());
  expect(await since(START_MS + hour)).toEqual(delivered.slice(0, 1));
  expect(await since(START_MS + 2 * hour)).toEqual([]);
  expect(await since(START_MS, another)).toEqual([]);
  expect(await hasAnyReward(db, viewer)).toBe(true);
  expect(await hasAnyReward(db, another)).toBe(false);
});
