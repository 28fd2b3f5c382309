import { and, inArray, sql } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { channels } from '#db/schema/channel.ts';

/** Returns those of these channels that have no public page, because their broadcasters hide them. */
export async function listHidden({ read }: Database, channelIds: readonly string[]): Promise<Set<string>> {
  if (channelIds.length === 0) return new Set();
  const rows = await read
    .select({ id: channels.id })
    .from(channels)
    .where(and(inArray(channels.id, [...channelIds]), sql`${channels.hidden}`));
  return new Set(rows.map(({ id }) => id));
}
