import { eq } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';
import { mails } from '#db/schema/outbox.ts';
import { transfers } from '#db/schema/transfer.ts';
import { claimReward } from '#domain/claim/claim-reward.ts';
import { newId } from '#domain/kernel/id.ts';
import { day } from '#domain/kernel/time.ts';
import { evaluateChannel } from '#domain/rule/evaluate-channel.ts';
import { reportTransfer } from '#domain/transfer/report-transfer.ts';
import { returnItems } from '#domain/transfer/return-items.ts';
import { listGivenRewards } from '#domain/view/list-given-rewards.ts';
import { listHistory } from '#domain/view/list-history.ts';
import {
  addPerson,
  addRule,
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
let depositId: string;
beforeEach(async () => {
  viewer = await addPerson(db);
  const made = await promiseTo(db, streamer, [viewer]);
  const [reward] = made.rewards;
  ({ ruleId } = made);
  ({ id: rewardId, itemId } = reward!);
  const [first] = await ledgerOf(db, itemId);
  depositId = first?.transferId ?? '';
});

const reverse = (id = depositId) =>
  reportTransfer(db, id, { event: 'reversed', moved: [], stayed: [] }, START_MS);
const rewardNow = async () => (await rewardsOf(db, ruleId)).find(({ id }) => id === rewardId);
const itemNow = async () => (await itemsOf(db, streamer.userId)).find(({ id }) => id === itemId);
const lettersTo = (template: string) => db.read.select().from(mails).where(eq(mails.template, template));

async function claim(): Promise<string> {
  const claimed = await claimReward(db, { rewardId, userId: viewer.userId }, START_MS);
  if (!claimed.ok) throw new Error(claimed.code);
  const [row] = await db.read.select().from(transfers).where(eq(transfers.rewardId, rewardId));
  return row!.id;
}

test('A reversed deposit ends the promise made on it, and the viewer is told why', async () => {
  expect(await reverse()).toBe(true);
  expect(await rewardNow()).toMatchObject({ state: 'recalled', recallReason: 'depositReversed' });
  expect((await itemNow())?.state).toBe('gone');
  expect(await rewardsOf(db, ruleId)).toHaveLength(1);
  expect(await lettersTo('depositReversed')).toMatchObject([
    { values: { item: 'Demo case', rule: 'Demo rule' } },
  ]);
  expect(await reverse()).toBe(false);
  expect(await lettersTo('depositReversed')).toHaveLength(1);

  const own = await listHistory(db, { userId: viewer.userId });
  expect(own.rows.map(({ status }) => status)).toEqual(['depositReversed']);
  const asked = { ownerId: streamer.userId, status: 'depositReversed' } as const;
  expect((await listGivenRewards(db, asked)).rows.map(({ id }) => id)).toEqual([rewardId]);
});

test('Only what left with a deposit that was reversed in part takes its offers along', async () => {
  const nowMs = START_MS + 9 * day;
  await deposit(db, streamer, [asset('Demo lost'), asset('Demo kept')], START_MS);
  const idOf = async (kind: string) =>
    (await itemsOf(db, streamer.userId)).find((item) => item.marketHashName === kind)!.id;
  const giveBack = async (kind: string) => {
    const requestId = newId(nowMs);
    const request = { requestId, userId: streamer.userId, itemIds: [await idOf(kind)] };
    expect(await returnItems(db, request, nowMs)).toMatchObject({ ok: true });
    return requestId;
  };
  const [lostReturn, otherReturn] = [await giveBack('Demo lost'), await giveBack('Demo kept')];
  const [first] = await ledgerOf(db, await idOf('Demo kept'));
  const brought = await assetsIn(db, first?.transferId ?? '');
  const stayingId = await idOf('Demo kept');
  const stayed = brought.filter(({ itemId: each }) => each === stayingId);
  await reportTransfer(
    db,
    first?.transferId ?? '',
    { event: 'reversed', moved: [], stayed: stayed.map(({ appId, assetId }) => ({ appId, assetId })) },
    nowMs,
  );
  expect(await transferOf(db, lostReturn)).toMatchObject({
    state: 'cancelled',
    lastError: 'depositReversed',
  });
  expect(await transferOf(db, otherReturn)).toMatchObject({ state: 'queued', cancelWanted: false });
});

test('A free reward of a reversed deposit leaves its rule, and nobody is promised it', async () => {
  const free = await addRule(db, streamer, { rewards: 1, watchMinutes: 10 });
  const [reward] = await rewardsOf(db, free);
  const [first] = await ledgerOf(db, reward!.itemId);
  await reverse(first?.transferId ?? '');
  const other = await addPerson(db);
  await watchFor(db, streamer.twitchId, [[other.twitchId, 600]]);
  await evaluateChannel(db, streamer.twitchId, START_MS);
  expect(await rewardsOf(db, free)).toMatchObject([{ state: 'recalled', twitchId: null }]);
  expect(await lettersTo('depositReversed')).toEqual([]);
});

test('A claim that waits to be sent ends with the deposit of its item', async () => {
  const transferId = await claim();
  await reverse();
  expect(await transferOf(db, transferId)).toMatchObject({
    state: 'cancelled',
    lastError: 'depositReversed',
  });
  expect(await rewardNow()).toMatchObject({
    state: 'recalled',
    recallReason: 'depositReversed',
    steamId: null,
  });
  expect((await ledgerOf(db, itemId)).map(({ toHolder }) => toHolder).slice(1)).toEqual(['outgoing', 'gone']);
  expect(await lettersTo('depositReversed')).toHaveLength(1);
});

test('An offer that is on Steam is taken back, and its end changes nothing more', async () => {
  const transferId = await claim();
  await sendQueued(db, START_MS);
  await reverse();
  expect(await transferOf(db, transferId)).toMatchObject({ state: 'sent', cancelWanted: true });
  expect(await rewardNow()).toMatchObject({ state: 'recalled', recallReason: 'depositReversed' });
  await reportTransfer(db, transferId, { event: 'cancelled' }, START_MS);
  expect(await rewardNow()).toMatchObject({ state: 'recalled', recallReason: 'depositReversed' });
  expect((await itemNow())?.state).toBe('gone');
  expect(await rewardsOf(db, ruleId)).toHaveLength(1);
});

test('A return with an item of a reversed deposit is withdrawn, and its other items stay held', async () => {
  const other = [asset('Demo key')];
  await deposit(db, streamer, other, START_MS - 8 * 86_400_000);
  const last = [asset('Demo box')];
  const lastId = await deposit(db, streamer, last, START_MS - 8 * 86_400_000);
  const held = (await itemsOf(db, streamer.userId)).filter(({ id }) => id !== itemId);
  const requestId = newId(START_MS);
  const itemIds = held.map(({ id }) => id);
  expect((await returnItems(db, { requestId, userId: streamer.userId, itemIds }, START_MS)).ok).toBe(true);
  await reverse(lastId);
  expect(await transferOf(db, requestId)).toMatchObject({ state: 'cancelled' });
  const after = (await itemsOf(db, streamer.userId)).filter(({ id }) => id !== itemId);
  expect(after.map(({ name, state }) => [name, state]).toSorted()).toEqual([
    ['Demo box', 'gone'],
    ['Demo key', 'held'],
  ]);
});
