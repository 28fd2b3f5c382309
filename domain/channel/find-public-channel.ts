import { and, desc, eq, exists, sql } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { channels } from '#db/schema/channel.ts';
import { rules } from '#db/schema/rule.ts';
import { type ChannelSummary, channelSummaryColumns } from './channel-summary.ts';

/** The facts about a channel that anybody may know. */
export interface PublicChannel extends ChannelSummary {
  gameName: string;
  title: string;
  /** Null while offline. */
  streamStartedAtMs: number | null;
}

/** Finds a channel by its login; null if it is hidden or never had a rule. */
export async function findPublicChannel({ read }: Database, login: string): Promise<PublicChannel | null> {
  if (!/^\w{1,60}$/.test(login)) return null;
  const ruleHere = read.select({ one: sql`1` }).from(rules).where(eq(rules.channelId, channels.id));
  const [channel] = await read
    .select({
      ...channelSummaryColumns,
      gameName: channels.gameName,
      title: channels.title,
      streamStartedAtMs: channels.streamStartedAtMs,
    })
    .from(channels)
    .where(and(eq(channels.login, login.toLowerCase()), sql`not ${channels.hidden}`, exists(ruleHere)))
    // A login passes to somebody else after a rename: the channel seen last has it now.
    .orderBy(desc(channels.lastSeenAtMs))
    .limit(1);
  if (!channel) return null;
  return { ...channel, streamStartedAtMs: channel.live ? channel.streamStartedAtMs : null };
}
