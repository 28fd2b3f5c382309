import { eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { channels } from '#db/schema/channel.ts';
import { statement } from '#db/statement.ts';

const readCounted = statement('counted_channels', (q) =>
  q
    .select({ channelId: channels.id, untilMs: channels.watchedUntilMs })
    .from(channels)
    .where(eq(channels.live, true)),
);

/** Until when watch time is counted on each live channel. Null: not yet in this stream. Domain time. */
export async function listCounted({
  read,
}: Database): Promise<{ channelId: string; untilMs: number | null }[]> {
  return readCounted(read, {});
}
