import { asc, eq, inArray, lte } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { channels } from '#db/schema/channel.ts';
import { chatAnnouncements } from '#db/schema/twitch.ts';
import { minute } from '#domain/time.ts';

/** What is this old when it could be said is news to nobody. Domain time. */
export const STALE_AFTER_MS = 2 * minute;
const BATCH_SIZE = 50;

/** Who has just been promised a reward of a rule: some by name, and how many others. */
export interface ChatAnnouncement {
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
export async function takeAnnouncements(
  database: Database,
  { channelLogins }: { channelLogins: readonly string[] },
  nowMs: number,
): Promise<ChatAnnouncement[]> {
  const [any] = await database.read.select({ id: chatAnnouncements.id }).from(chatAnnouncements).limit(1);
  if (!any) return [];
  return database.transaction(async (tx) => {
    await tx.delete(chatAnnouncements).where(lte(chatAnnouncements.createdAtMs, nowMs - STALE_AFTER_MS));
    const rows = await tx
      .select({ announcement: chatAnnouncements, channelLogin: channels.login })
      .from(chatAnnouncements)
      .innerJoin(channels, eq(channels.id, chatAnnouncements.channelId))
      .where(inArray(channels.login, [...channelLogins]))
      .orderBy(asc(chatAnnouncements.id))
      .limit(BATCH_SIZE);
    const ids = rows.map(({ announcement }) => announcement.id);
    if (ids.length === 0) return [];
    const taken = await tx
      .delete(chatAnnouncements)
      .where(inArray(chatAnnouncements.id, ids))
      .returning({ id: chatAnnouncements.id });
    const ours = new Set(taken.map(({ id }) => id));
    return rows
      .filter(({ announcement }) => ours.has(announcement.id))
      .map(({ announcement: { channelId, names, others, ruleName }, channelLogin }) => ({
        channelId,
        channelLogin,
        names,
        others,
        ruleName,
      }));
  });
}
