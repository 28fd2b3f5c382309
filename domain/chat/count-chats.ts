import { countDistinct, eq, sql } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { is } from '#db/dialect.ts';
import { type ChatFault, channels } from '#db/schema/channel.ts';
import { rules } from '#db/schema/rule.ts';

/**
 * The number of chats that one account may be in over IRC, besides those that it moderates
 * (discuss.dev.twitch.com/t/54997).
 */
export const MAX_IRC_CHATS = 100;

/**
 * Counts the chats that the bot answers in, those of channels with open rules, how many of them do not let it in, and into
 * how many it writes nothing because they are shared.
 */
export async function countChats(q: Reader): Promise<{ all: number; notAllowed: number; shared: number }> {
  const withFault = (fault: ChatFault) =>
    countDistinct(sql`case when ${is(channels.chatFault, fault)} then ${channels.id} end`);
  const [row] = await q
    .select({
      all: countDistinct(channels.id),
      notAllowed: withFault('notAllowed'),
      shared: withFault('shared'),
    })
    .from(rules)
    .innerJoin(channels, eq(channels.id, rules.channelId))
    .where(is(rules.state, 'open'));
  return {
    all: Number(row?.all ?? 0),
    notAllowed: Number(row?.notAllowed ?? 0),
    shared: Number(row?.shared ?? 0),
  };
}
