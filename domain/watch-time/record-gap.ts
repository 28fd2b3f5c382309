import { and, eq, gt, gte, sql } from 'drizzle-orm';
import type { Tx } from '#db/database.ts';
import { viewerGaps, type WatchGapReason, watchGaps } from '#db/schema/channel.ts';

/** Records an interval of a stream that does not count, with the reason. Runs in the caller's transaction. */
export async function recordGap(
  tx: Tx,
  gap: { channelId: string; fromMs: number; untilMs: number; reason: WatchGapReason },
): Promise<void> {
  const longer = sql`case when excluded.until_ms > ${watchGaps.untilMs} then excluded.until_ms else ${watchGaps.untilMs} end`;
  await tx
    .insert(watchGaps)
    .values(gap)
    .onConflictDoUpdate({ target: [watchGaps.channelId, watchGaps.fromMs], set: { untilMs: longer } });
}

/**
 * Ends at the present those gaps of a channel that a clock set too far ahead dated into the future. Runs in
 * the caller's transaction.
 */
export async function endGapsAhead(tx: Tx, channelId: string, nowMs: number): Promise<void> {
  for (const gaps of [watchGaps, viewerGaps] as const) {
    const ahead = and(eq(gaps.channelId, channelId), gt(gaps.untilMs, nowMs));
    await tx.delete(gaps).where(and(ahead, gte(gaps.fromMs, nowMs)));
    await tx.update(gaps).set({ untilMs: nowMs }).where(ahead);
  }
}
