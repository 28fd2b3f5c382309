import type { Tx } from '#db/database.ts';
import { type WatchGapReason, watchGaps } from '#db/schema/channel.ts';

/** Records an interval of a stream that does not count, with the reason. Runs in the caller's transaction. */
export async function recordGap(
  tx: Tx,
  gap: { channelId: string; fromMs: number; untilMs: number; reason: WatchGapReason },
): Promise<void> {
  await tx.insert(watchGaps).values(gap).onConflictDoNothing();
}
