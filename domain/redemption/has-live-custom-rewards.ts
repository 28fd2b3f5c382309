import { and, eq, isNotNull } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { within } from '#db/dialect.ts';
import { customRewards, liveCustomRewardStates } from '#db/schema/redemption.ts';

/** Returns whether we have custom rewards on this channel. */
export async function hasLiveCustomRewards(
  q: Reader,
  { channelId }: { channelId: string },
): Promise<boolean> {
  const standing = and(
    eq(customRewards.channelId, channelId),
    isNotNull(customRewards.twitchRewardId),
    within(customRewards.state, liveCustomRewardStates),
  );
  return (await q.$count(customRewards, standing)) > 0;
}
