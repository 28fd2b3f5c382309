import { asc, eq, inArray, lte } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { channels } from '#db/schema/channel.ts';
import { chatNews } from '#db/schema/twitch.ts';
import { minute } from '#domain/clock.ts';

/** What is this old when it could be said is news to nobody. Domain time. */
export const STALE_NEWS_MS = 2 * minute;
const MOST_AT_ONCE = 50;

/** Who has just been promised a reward of a rule: some by name, and how many others. */
export interface ChatNews {
  channelId: string;
  channelLogin: string;
  names: string[];
  others: number;
  ruleName: string;
}

/**
 * Takes the news that wait to be told in these channels, the oldest first: whoever took them says them, once or, if it
 * dies, never. What is stale in any channel is forgotten.
 */
export async function takeChatNews(
  database: Database,
  { channelLogins }: { channelLogins: readonly string[] },
  nowMs: number,
): Promise<ChatNews[]> {
  const [any] = await database.read.select({ id: chatNews.id }).from(chatNews).limit(1);
  if (!any) return [];
  return database.transaction(async (tx) => {
    await tx.delete(chatNews).where(lte(chatNews.createdAtMs, nowMs - STALE_NEWS_MS));
    const rows = await tx
      .select({ news: chatNews, channelLogin: channels.login })
      .from(chatNews)
      .innerJoin(channels, eq(channels.id, chatNews.channelId))
      .where(inArray(channels.login, [...channelLogins]))
      .orderBy(asc(chatNews.id))
      .limit(MOST_AT_ONCE);
    const ids = rows.map(({ news }) => news.id);
    if (ids.length === 0) return [];
    const taken = await tx.delete(chatNews).where(inArray(chatNews.id, ids)).returning({ id: chatNews.id });
    const ours = new Set(taken.map(({ id }) => id));
    return rows
      .filter(({ news }) => ours.has(news.id))
      .map(({ news: { channelId, names, others, ruleName }, channelLogin }) => ({
        channelId,
        channelLogin,
        names,
        others,
        ruleName,
      }));
  });
}
