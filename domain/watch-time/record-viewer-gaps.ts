import { and, eq, inArray, sql } from 'drizzle-orm';
import type { Tx } from '#db/database.ts';
import { isAmong } from '#db/dialect.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { type ViewerGapReason, viewerGaps } from '#db/schema/channel.ts';
import { statement } from '#db/statement.ts';

const registeredAmong = statement('registered_among', (tx) =>
  tx
    .select({ twitchId: twitchAccounts.twitchId })
    .from(twitchAccounts)
    .where(isAmong(twitchAccounts.twitchId, sql.placeholder('ids'))),
);

/** Lists those of these viewers who have an account here. */
export async function listRegistered(tx: Tx, twitchIds: readonly string[]): Promise<string[]> {
  const registered = await registeredAmong(tx, { ids: JSON.stringify([...new Set(twitchIds)]) });
  return registered.map(({ twitchId }) => twitchId);
}

/**
 * Records an interval of a stream that did not count for these registered viewers, although they were in the chat; an
 * interval that follows another for the same reason extends it. Nobody else could see their gaps. Returns the viewers
 * who have a new one. Runs in the caller's transaction.
 */
export async function recordViewerGaps(
  tx: Tx,
  gap: {
    channelId: string;
    twitchIds: readonly string[];
    fromMs: number;
    untilMs: number;
    reason: ViewerGapReason;
  },
): Promise<string[]> {
  const { channelId, fromMs, untilMs, reason } = gap;
  const twitchIds = [...new Set(gap.twitchIds)];
  if (twitchIds.length === 0) return [];
  const extended = await tx
    .update(viewerGaps)
    .set({ untilMs })
    .where(
      and(
        inArray(viewerGaps.twitchId, twitchIds),
        eq(viewerGaps.channelId, channelId),
        eq(viewerGaps.untilMs, fromMs),
        eq(viewerGaps.reason, reason),
      ),
    )
    .returning({ twitchId: viewerGaps.twitchId });
  const known = new Set(extended.map(({ twitchId }) => twitchId));
  const added = twitchIds.filter((twitchId) => !known.has(twitchId));
  if (added.length === 0) return [];
  await tx
    .insert(viewerGaps)
    .values(added.map((twitchId) => ({ channelId, twitchId, fromMs, untilMs, reason })))
    .onConflictDoNothing();
  return added;
}
