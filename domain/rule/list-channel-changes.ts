import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { isPostgres } from '#db/dialect.ts';
import { channelChanges } from '#db/schema/twitch.ts';

/** The end of a channel's id, by which changes to channels are counted: Twitch's ids have all endings alike often. */
export const endingOf = (channelId: string): string => channelId.slice(-2);

/** SQL for the end of a channel’s id. */
export const endingInSql = (channelId: SQLWrapper): SQL =>
  isPostgres ? sql`right(${channelId}, 2)` : sql`substr(${channelId}, -2)`;

/**
 * Lists how many changes there have been to what `listWatchedChannels` returns, for each ending of ids of which there was
 * any. Whoever reads these first and the channels then misses nothing: a later change is counted once more.
 */
export async function listChannelChanges(q: Reader): Promise<ReadonlyMap<string, number>> {
  const { ending, changes } = channelChanges;
  const rows = await q.select({ ending, changes }).from(channelChanges);
  return new Map(rows.map((row) => [row.ending, row.changes]));
}
