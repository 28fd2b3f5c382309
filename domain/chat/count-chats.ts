import { and, countDistinct, inArray } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { is } from '#db/dialect.ts';
import { channels } from '#db/schema/channel.ts';
import { rules } from '#db/schema/rule.ts';

/** How many chats one account may be in over IRC; those that it moderates do not count (discuss.dev.twitch.com/t/54997). */
export const MAX_IRC_CHATS = 100;

/** How many chats the bot answers in, which are those of channels with open rules, and how many do not let it in. */
export async function countChats(q: Reader): Promise<{ all: number; notAllowed: number }> {
  const isOpen = is(rules.state, 'open');
  const [row] = await q
    .select({ all: countDistinct(rules.channelId) })
    .from(rules)
    .where(isOpen);
  const open = q.select({ id: rules.channelId }).from(rules).where(isOpen);
  const notAllowed = and(inArray(channels.id, open), is(channels.chatFault, 'notAllowed'));
  return { all: Number(row?.all ?? 0), notAllowed: await q.$count(channels, notAllowed) };
}
