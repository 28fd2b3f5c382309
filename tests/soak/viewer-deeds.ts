import { and, eq, isNotNull } from 'drizzle-orm';
import { is } from '#db/dialect.ts';
import { customRewards, redemptions } from '#db/schema/redemption.ts';
import { rewards } from '#db/schema/reward.ts';
import type { Actor } from './actor.ts';
import type { Stage } from './stage.ts';

/** Viewers' actions on the product's pages: they claim, some of them twice at once. */
export function claims(
  stage: Stage,
  { shortestMs, longestMs } = { shortestMs: 7000, longestMs: 14_000 },
): Actor {
  const { db, api, tally, viewers, claimed } = stage;
  const chance = stage.chanceOf('claims');
  return {
    name: 'claims',
    pauseMs: () => chance.between(shortestMs, longestMs),
    async act() {
      const promised = await db.read
        .select({ id: rewards.id, userId: rewards.userId })
        .from(rewards)
        .where(is(rewards.state, 'promised'));
      const reward = chance.pick(promised);
      const viewer = viewers.find(({ userId }) => userId === reward?.userId);
      if (!reward || !viewer) return;
      const clicks = chance.is(0.2) ? 2 : 1;
      const answers = await Promise.all(
        Array.from({ length: clicks }, () => api.ask(viewer, 'POST', '/claims', { reward_id: reward.id })),
      );
      for (const refusal of answers) tally.note(refusal ? `claim: ${refusal}` : 'claim');
      if (answers.includes(null)) claimed.add(reward.id);
    },
  };
}

/** Viewers spend channel points on Twitch, strangers and streamers too; sometimes a streamer settles one by hand. */
export function channelPoints(stage: Stage): Actor {
  const { db, panel, tally, viewers, streamers, strangers, settledByHand } = stage;
  const chance = stage.chanceOf('points');
  const everybody = [...viewers, ...viewers, ...streamers].map(({ twitchId }) => twitchId);

  async function redeem(): Promise<void> {
    const standing = await db.read
      .select({ channelId: customRewards.channelId, rewardId: customRewards.twitchRewardId })
      .from(customRewards)
      .where(and(is(customRewards.state, 'enabled'), isNotNull(customRewards.twitchRewardId)));
    const custom = chance.pick(standing);
    const userId = chance.pick([...everybody, ...strangers]);
    if (!custom) return;
    const done = await panel.act(`/twitch/${custom.channelId}/redeem`, { userId, rewardId: custom.rewardId });
    tally.note(done ? 'redeem' : 'redeem: refused by Twitch');
  }

  async function settleByHand(): Promise<void> {
    const open = await db.read
      .select({ id: redemptions.id, channelId: customRewards.channelId })
      .from(redemptions)
      .innerJoin(customRewards, eq(customRewards.ruleId, redemptions.ruleId))
      .where(is(redemptions.state, 'open'));
    const redemption = chance.pick(open);
    if (!redemption) return;
    settledByHand.add(redemption.id);
    const status = chance.is(0.5) ? 'FULFILLED' : 'CANCELED';
    await panel.act(`/twitch/${redemption.channelId}/redemptions/${redemption.id}`, { status });
    tally.note('settleByHand');
  }

  return {
    name: 'points',
    pauseMs: () => chance.between(900, 2500),
    act: () => (chance.is(0.04) ? settleByHand() : redeem()),
  };
}
