import { sql } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { isAmong } from '#db/dialect.ts';
import { channels } from '#db/schema/channel.ts';
import { statement } from '#db/statement.ts';

const readCounted = statement('counted_channels', (q) =>
  q
    .select({ channelId: channels.id, live: channels.live, untilMs: channels.watchedUntilMs })
    .from(channels)
    .where(isAmong(channels.id, sql.placeholder('ids'))),
);

/**
 * Returns until when watch time is counted on those of these channels that are live; null if it is not
 * counted yet in this stream. Domain time.
 */
export async function listCounted(
  { read }: Database,
  channelIds: Iterable<string>,
): Promise<{ channelId: string; untilMs: number | null }[]> {
  const shown = await readCounted(read, { ids: JSON.stringify([...channelIds]) });
  return shown.flatMap(({ live, ...counted }) => (live ? [counted] : []));
}
