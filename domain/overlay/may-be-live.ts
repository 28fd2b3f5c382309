import { and, eq } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { within } from '#db/dialect.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { channels } from '#db/schema/channel.ts';
import { liveRuleStates, rules } from '#db/schema/rule.ts';

/**
 * Returns whether a streamer's own channel is live, or could be: a channel without a rule is not followed, so nothing is
 * known of its streams.
 */
export async function mayBeLive(q: Reader, userId: string): Promise<boolean> {
  const [followed] = await q
    .select({ live: channels.live })
    .from(twitchAccounts)
    .innerJoin(channels, eq(channels.id, twitchAccounts.twitchId))
    .innerJoin(rules, and(eq(rules.channelId, channels.id), within(rules.state, liveRuleStates)))
    .where(eq(twitchAccounts.userId, userId))
    .limit(1);
  return followed?.live ?? true;
}
