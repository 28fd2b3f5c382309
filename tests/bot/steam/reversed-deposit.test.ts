import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { mails } from '#db/schema/outbox.ts';
import { attachRewards } from '#domain/rule/attach-rewards.ts';
import { evaluateChannel } from '#domain/rule/evaluate-channel.ts';
import { type Dialect, shapesOf } from '#sandbox/steam/dialects.ts';
import { addRule } from '#tests/support/fixtures.ts';
import { rewardsOf } from '#tests/support/looking.ts';
import { claim } from '#tests/support/promised-reward.ts';
import {
  askForDeposit,
  itemsOf,
  rewardOf,
  rifle,
  type SteamStage,
  setSteamStage,
  startBot,
  transferIn,
} from '#tests/support/steam-stage.ts';
import { watchFor } from '#tests/support/watching.ts';

/** A deposit that its streamer reverses on Steam while no bot is running, until the item counts as unlocked. */
async function reverseUnseen(shape: Partial<Dialect>) {
  const stage = await setSteamStage();
  const { world, streamer } = stage;
  world.speak(shape);
  const part = await startBot(stage);
  const { transferId, item } = await askForDeposit(stage);
  const { offerId } = await transferIn(stage, transferId, 'sent');
  world.accept(offerId ?? '', streamer.steamId);
  const { tradeId } = await transferIn(stage, transferId, 'accepted');
  const [held] = await itemsOf(stage);
  expect(held?.lockedUntilMs).toBeGreaterThanOrEqual((world.trade(tradeId ?? '')?.settlesAt ?? 0) * 1000);
  await part.stop();
  expect(world.reverseTrade(tradeId ?? '').ok).toBe(true);
  stage.passDays(9);
  return { stage, transferId, item };
}

/** Attaches the item to a rule and promises it to the viewer. */
async function promiseIt(stage: SteamStage): Promise<string> {
  const { db, streamer, viewer, clock } = stage;
  const nowMs = clock.now();
  const ruleId = await addRule(db, streamer, { rewards: 0, watchMinutes: 10, nowMs });
  const kinds = [{ appId: rifle.appid, marketHashName: rifle.market_hash_name, quantity: 1 }];
  await watchFor(db, streamer.twitchId, [[viewer.twitchId, 600]]);
  expect((await attachRewards(db, { ruleId, userId: streamer.userId, kinds }, nowMs)).ok).toBe(true);
  await evaluateChannel(db, streamer.twitchId, nowMs);
  const [reward] = await rewardsOf(db, ruleId);
  expect(reward?.state).toBe('promised');
  return reward?.id ?? '';
}

async function expectEnded(
  stage: SteamStage,
  { rewardId, transferId }: Record<'rewardId' | 'transferId', string>,
) {
  await transferIn(stage, transferId, 'reversed');
  expect(await rewardOf(stage, rewardId)).toMatchObject({
    state: 'recalled',
    recallReason: 'depositReversed',
  });
  expect(await itemsOf(stage)).toMatchObject([{ state: 'gone' }]);
  const sent = await stage.db.read.select().from(mails).where(eq(mails.template, 'depositReversed'));
  expect(sent).toHaveLength(1);
}

test.each(
  shapesOf('reversal').flatMap((reversal) => [[reversal, 'named'] as const, [reversal, 'omitted'] as const]),
)(
  'A promise of an item whose deposit was reversed unseen ends at the restart: %s, new ids %s',
  async (reversal, newIds) => {
    const { stage, transferId } = await reverseUnseen({ reversal, newIds, settlement: 'absent' });
    const rewardId = await promiseIt(stage);
    await startBot(stage);
    await expectEnded(stage, { rewardId, transferId });
  },
);

test('So does its claim, however far it came', async () => {
  const { stage, transferId } = await reverseUnseen({});
  const rewardId = await promiseIt(stage);
  const claimId = await claim(stage, rewardId);
  await startBot(stage);
  await transferIn(stage, claimId, 'cancelled', 'failed');
  await expectEnded(stage, { rewardId, transferId });
});
