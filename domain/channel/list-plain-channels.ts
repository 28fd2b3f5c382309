import { and, inArray } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { is } from '#db/dialect.ts';
import { channels } from '#db/schema/channel.ts';

/** Lists those of these channels that were last seen as neither affiliate nor partner. */
export async function listPlainChannels(
  { read }: Database,
  channelIds: readonly string[],
): Promise<string[]> {
  if (channelIds.length === 0) return [];
  const rows = await read
    .select({ id: channels.id })
    .from(channels)
    .where(and(inArray(channels.id, [...channelIds]), is(channels.broadcasterType, 'plain')));
  return rows.map(({ id }) => id);
}
