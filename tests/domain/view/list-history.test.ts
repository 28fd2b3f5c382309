import { eq } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';
import { is } from '#db/dialect.ts';
import { rewards } from '#db/schema/reward.ts';
import { transfers } from '#db/schema/transfer.ts';
import { claimReward } from '#domain/claim/claim-reward.ts';
import { newId } from '#domain/kernel/id.ts';
import { day } from '#domain/kernel/time.ts';
import { expirePromises } from '#domain/reward/expire-promises.ts';
import { type HistoryFilters, listHistory } from '#domain/view/list-history.ts';
import { acceptOffer, addPerson, type Person, START_MS, sendQueued } from '#tests/support/fixtures.ts';
import { assetsIn } from '#tests/support/looking.ts';
import { promiseTo } from '#tests/support/promises.ts';
import { db, setScene, streamer } from '#tests/support/scene.ts';

setScene();
let viewer: Person;
let claimedId: string;
beforeEach(async () => {
  viewer = await addPerson(db);
  const first = await promiseTo(db, streamer, [viewer], { name: 'Claimed' });
  claimedId = first.rewards[0]!.id;
  await claimReward(db, { rewardId: claimedId, userId: viewer.userId }, START_MS);
  await sendQueued(db, START_MS);
  const [transfer] = await db.read.select().from(transfers).where(eq(transfers.rewardId, claimedId));
  await acceptOffer(db, transfer!.id, await assetsIn(db, transfer!.id), START_MS + 60_000);
  await promiseTo(db, streamer, [viewer], { name: 'Missed', nowMs: START_MS + day });
  await expirePromises(db, START_MS + 5 * day, Date.now());
  await promiseTo(db, streamer, [viewer], { name: 'Open', nowMs: START_MS + 6 * day });
});

const find = async (asked: HistoryFilters & { userId?: string } = {}) =>
  (await listHistory(db, { userId: viewer.userId, ...asked })).rows.map(({ ruleName }) => ruleName);

test('Claimed and ended rewards are listed, latest promise first, and open ones are not', async () => {
  const { rows, next } = await listHistory(db, { userId: viewer.userId });
  expect(rows).toMatchObject([
    { ruleName: 'Missed', status: 'timedOut', deliveredAtMs: null },
    {
      ruleName: 'Claimed',
      status: 'delivered',
      deliveredAtMs: START_MS + 60_000,
      channel: { id: streamer.twitchId },
    },
  ]);
  expect([next, await find({ userId: streamer.userId })]).toEqual([null, []]);
});

test('Status, channel and dates filter the list', async () => {
  expect(await find({ status: 'timedOut' })).toEqual(['Missed']);
  expect(await find({ status: 'delivered' })).toEqual(['Claimed']);
  for (const status of ['final', 'reversed', 'recalled'] as const) expect(await find({ status })).toEqual([]);
  expect(await find({ channel: 'DEMO CHANNEL' })).toHaveLength(2);
  expect(await find({ channel: '%' })).toEqual([]);
  expect(await find({ fromMs: START_MS + day })).toEqual(['Missed']);
  expect(await find({ untilMs: START_MS + day })).toEqual(['Claimed']);
});

test('Pages follow one another', async () => {
  const first = await listHistory(db, { userId: viewer.userId, size: 1 });
  const second = await listHistory(db, { userId: viewer.userId, size: 1, after: first.next });
  expect([first, second].map(({ rows }) => rows[0]?.ruleName)).toEqual(['Missed', 'Claimed']);
  expect(second.next).toBeNull();
});

test('Behind a thousand promises that the filters leave out, the next page goes on without a gap', async () => {
  const [missed] = await db.read.select().from(rewards).where(is(rewards.state, 'recalled'));
  const more = Array.from({ length: 999 }, (_, nth) => ({
    ...missed!,
    id: newId(START_MS),
    twitchId: `${nth}`,
    promisedAtMs: START_MS + 7 * day + nth,
  }));
  await db.transaction(async (tx) => {
    for (let from = 0; from < more.length; from += 333)
      await tx.insert(rewards).values(more.slice(from, from + 333));
  });
  const delivered = { userId: viewer.userId, status: 'delivered' } as const;
  const first = await listHistory(db, delivered);
  expect(first.rows).toEqual([]);
  const { rows, next } = await listHistory(db, { ...delivered, after: first.next });
  expect(rows.map(({ ruleName }) => ruleName)).toEqual(['Claimed']);
  expect(next).toBeNull();
});
