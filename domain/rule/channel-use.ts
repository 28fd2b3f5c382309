import { and, eq } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { within } from '#db/dialect.ts';
import { customRewards, liveCustomRewardStates } from '#db/schema/redemption.ts';
import { liveRuleStates, rules } from '#db/schema/rule.ts';
import { channelPoints } from '#domain/condition/channel-points.ts';
import { asksInSql } from '#domain/condition/condition.ts';

const liveOn = (channelId: string) =>
  and(eq(rules.channelId, channelId), within(rules.state, liveRuleStates));

const hasCustomReward = async (q: Reader, channelId: string): Promise<boolean> => {
  const live = within(customRewards.state, liveCustomRewardStates);
  return (await q.$count(customRewards, and(eq(customRewards.channelId, channelId), live))) > 0;
};

/**
 * Returns whether rules are open or paused on a channel, or Twitch still has a custom reward of a closed one.
 */
export const isInUse = async (q: Reader, channelId: string): Promise<boolean> =>
  (await q.$count(rules, liveOn(channelId))) > 0 || (await hasCustomReward(q, channelId));

/** Like `isInUse`, for rules that ask for channel points. */
export const usesPoints = async (q: Reader, channelId: string): Promise<boolean> =>
  (await q.$count(rules, and(liveOn(channelId), asksInSql(channelPoints)))) > 0 ||
  (await hasCustomReward(q, channelId));
