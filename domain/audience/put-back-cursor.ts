import { and, eq, sql } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { channels } from '#db/schema/channel.ts';
import { MAX_INTERVAL_MS } from '#domain/audience/take-intervals.ts';
import { channelLock } from '#domain/kernel/locks.ts';
import { endGapsAhead } from '#domain/watch-time/record-gap.ts';

/**
 * Puts a channel's watch cursor back by as much as domain time was put back, so that what was not read before
 * still counts and no second afterwards is taken for one that was counted. `fromMs` is the cursor as this
 * process knows it: another process that noticed the same step moves it once, too.
 */
export async function putBackCursor(
  db: Database,
  { channelId, fromMs, byMs }: { channelId: string; fromMs: number; byMs: number },
  nowMs: number,
): Promise<void> {
  await db.transaction(
    async (tx) => {
      await tx
        .update(channels)
        .set({
          watchedUntilMs: fromMs - byMs,
          wentOfflineAtMs: sql`${channels.wentOfflineAtMs} - ${byMs}`,
        })
        .where(and(eq(channels.id, channelId), eq(channels.watchedUntilMs, fromMs)));
      // A gap of the last minutes is soon in the past; one of a clock far ahead was none.
      if (byMs > MAX_INTERVAL_MS) await endGapsAhead(tx, channelId, nowMs);
    },
    { lock: channelLock(channelId) },
  );
}
