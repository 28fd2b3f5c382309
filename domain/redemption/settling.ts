import { and, eq, isNotNull } from 'drizzle-orm';
import { is } from '#db/dialect.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { customRewards, redemptions } from '#db/schema/redemption.ts';

// Settlements that can be sent to Twitch, in a query over redemptions: its joins and its condition.
export const ofCustomReward = and(
  eq(customRewards.ruleId, redemptions.ruleId),
  isNotNull(customRewards.twitchRewardId),
);
export const ofConnectedAccount = and(
  eq(twitchAccounts.twitchId, customRewards.channelId),
  is(twitchAccounts.state, 'connected'),
);
export const isSettling = and(is(redemptions.state, 'open'), isNotNull(redemptions.settlement));
