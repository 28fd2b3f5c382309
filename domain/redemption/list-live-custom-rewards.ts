import { and, asc, eq, isNotNull } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { is, within } from '#db/dialect.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import {
  type CustomRewardFault,
  type CustomRewardState,
  customRewards,
  liveCustomRewardStates,
  redemptions,
} from '#db/schema/redemption.ts';

/** One of our custom rewards on Twitch, in its last confirmed state. */
export interface LiveCustomReward {
  ruleId: string;
  channelId: string;
  twitchRewardId: string;
  state: CustomRewardState;
  fault: CustomRewardFault | null;
  /** True if the last look did not find it on Twitch. */
  wasMissed: boolean;
}

/** Lists live custom rewards on channels with a connected grant, including those of closed rules. */
export async function listLiveCustomRewards(q: Reader): Promise<LiveCustomReward[]> {
  const rows = await q
    .select({
      ruleId: customRewards.ruleId,
      channelId: customRewards.channelId,
      twitchRewardId: customRewards.twitchRewardId,
      state: customRewards.state,
      fault: customRewards.fault,
      missedAtMs: customRewards.missedAtMs,
    })
    .from(customRewards)
    .innerJoin(
      twitchAccounts,
      and(eq(twitchAccounts.twitchId, customRewards.channelId), is(twitchAccounts.state, 'connected')),
    )
    .where(and(isNotNull(customRewards.twitchRewardId), within(customRewards.state, liveCustomRewardStates)))
    .orderBy(asc(customRewards.channelId), asc(customRewards.ruleId));
  return rows.flatMap(({ twitchRewardId, missedAtMs, ...row }) =>
    twitchRewardId ? [{ ...row, twitchRewardId, wasMissed: missedAtMs !== null }] : [],
  );
}

/** Lists the ids of a rule's open redemptions. */
export async function listOpenRedemptions(q: Reader, ruleId: string): Promise<string[]> {
  const rows = await q
    .select({ id: redemptions.id })
    .from(redemptions)
    .where(and(eq(redemptions.ruleId, ruleId), is(redemptions.state, 'open')))
    .orderBy(asc(redemptions.id));
  return rows.map(({ id }) => id);
}
