import { and, eq, lt } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { channels } from '#db/schema/channel.ts';
import { channelLock } from '#domain/reward/serve-waiting.ts';
import { dayOf, rollUp } from '#domain/watch-time/roll-up.ts';

/** Rolls up the channels that were off at the day's turn: a live one does it by its next reading. Returns how many. */
export async function rollUpChannels(database: Database, nowMs: number): Promise<number> {
  const due = await database.read
    .select({ id: channels.id })
    .from(channels)
    .where(and(eq(channels.live, false), lt(channels.rolledUpToMs, dayOf(nowMs))));
  let rolled = 0;
  for (const { id } of due) {
    const opened = await database.transaction(
      async (tx) => {
        const [channel] = await tx
          .select({ id: channels.id, rolledUpToMs: channels.rolledUpToMs })
          .from(channels)
          .where(eq(channels.id, id));
        return channel ? rollUp(tx, channel, nowMs) : false;
      },
      { lock: channelLock(id) },
    );
    if (opened) rolled++;
  }
  return rolled;
}
