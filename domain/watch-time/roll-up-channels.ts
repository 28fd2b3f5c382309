import { and, lt, sql } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { channels } from '#db/schema/channel.ts';
import { dayOf } from '#domain/kernel/time.ts';
import { rollUp } from '#domain/watch-time/roll-up.ts';

/**
 * Rolls up offline channels with watch time after the day ends; a live channel rolls up with its next reading. Returns
 * how many channels were rolled up.
 */
export async function rollUpChannels(db: Database, nowMs: number): Promise<number> {
  const due = await db.read
    .select({ id: channels.id })
    .from(channels)
    .where(
      and(
        sql`${channels.hasUnrolledTime}`,
        lt(channels.rolledUpToMs, dayOf(nowMs)),
        sql`not ${channels.live}`,
      ),
    );
  let rolled = 0;
  for (const { id } of due) if (await rollUp(db, id, nowMs)) rolled++;
  return rolled;
}
