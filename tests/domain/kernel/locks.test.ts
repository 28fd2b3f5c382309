import { expect, test } from 'vitest';
import { type Database, holdLock, type Tx } from '#db/database.ts';
import { type ChannelTx, channelLock, type ItemsTx, itemsLock, lockChannels } from '#domain/kernel/locks.ts';
import { advanceRedemption } from '#domain/redemption/advance-redemption.ts';
import { promiseForPoints } from '#domain/redemption/promise-for-points.ts';
import { advanceReward } from '#domain/reward/advance-reward.ts';
import { reofferItem } from '#domain/reward/reoffer-item.ts';
import { serveWaiting } from '#domain/reward/serve-waiting.ts';
import { qualifyDue } from '#domain/rule/qualify.ts';
import { advanceTransfer } from '#domain/transfer/advance-transfer.ts';
import { rewardDelivered } from '#domain/transfer/settle-claim.ts';
import { withdrawTransfer } from '#domain/transfer/withdraw-transfer.ts';
import { openTestDatabase } from '#tests/support/database.ts';
import { addBot, addRule, addStreamer, START_MS } from '#tests/support/fixtures.ts';
import { rewardsOf } from '#tests/support/looking.ts';

/** Read by the compiler alone. */
async function compiled(db: Database, tx: Tx): Promise<void> {
  const { reward, at } = { reward: { itemId: 'item', ruleId: 'rule' }, at: START_MS };
  // @ts-expect-error -- serving needs the channel's lock
  await serveWaiting(tx, ['rule'], at);
  // @ts-expect-error -- offering an item again needs it
  await reofferItem(tx, reward, at);
  // @ts-expect-error -- qualifying needs it
  await qualifyDue(tx, 'channel', at);
  // @ts-expect-error -- promising needs it
  await promiseForPoints(tx, { ruleId: 'rule', twitchId: 'viewer' }, at);
  // @ts-expect-error -- settling points needs it
  await advanceRedemption(tx, 'redemption', 'refunded', at);
  // @ts-expect-error -- settling a claim needs it
  await rewardDelivered(tx, 'reward', at);
  // @ts-expect-error -- moving a reward needs it
  await advanceReward(tx, 'reward', 'detached', {}, at);
  // @ts-expect-error -- an event that may end a claim needs it
  await advanceTransfer(tx, 'transfer', { event: 'accepted' }, at);
  // @ts-expect-error -- and so does withdrawing
  await withdrawTransfer(tx, 'transfer', {}, at);
  await advanceTransfer(tx, 'transfer', { event: 'started' }, at);

  const locked = async (held: ChannelTx) => held;
  // @ts-expect-error -- a transaction without a lock
  await db.transaction(locked);
  // @ts-expect-error -- a lock that may be missing
  await db.transaction(locked, { lock: [channelLock('channel')][1] });
  // @ts-expect-error -- another lock
  await db.transaction(locked, { lock: itemsLock('owner') });
  // @ts-expect-error -- a name built by hand
  await db.transaction(async () => {}, { lock: 'channel:1' });
  await db.transaction(locked, { lock: channelLock('channel') });

  const both: ChannelTx & ItemsTx = await holdLock(await lockChannels(tx, ['channel']), itemsLock('owner'));
  await serveWaiting(both, ['rule'], at);
}

test('Without the lock that a verb asks for it does not compile', () => expect(compiled).toBeDefined());

test('The lock of one channel does not serve another, on either database', async () => {
  await using db = await openTestDatabase();
  await addBot(db);
  const [streamer, other] = [await addStreamer(db), await addStreamer(db)];
  const ruleId = await addRule(db, streamer, { watchMinutes: 10, rewards: 1 });
  const [reward] = await rewardsOf(db, ruleId);
  const under = (channelId: string) =>
    db.transaction(
      async (tx) => {
        await serveWaiting(tx, [ruleId], START_MS);
        return advanceReward(tx, reward!.id, 'detached', { recallReason: 'detached' }, START_MS);
      },
      { lock: channelLock(channelId) },
    );
  await expect(under(other.twitchId)).rejects.toThrow('lock of channel');
  expect(await under(streamer.twitchId)).toMatchObject({ ruleId });
});

test('A lock lasts as long as its transaction', async () => {
  await using db = await openTestDatabase();
  await addBot(db);
  const streamer = await addStreamer(db);
  const ruleId = await addRule(db, streamer, { watchMinutes: 10, rewards: 1 });
  await db.transaction(async () => {}, { lock: channelLock(streamer.twitchId) });
  const unlocked = db.transaction((tx) => serveWaiting(tx as ChannelTx, [ruleId], START_MS));
  await expect(unlocked).rejects.toThrow('lock of channel');
});
