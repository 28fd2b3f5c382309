import { and, desc, eq, gt, inArray, isNull, or } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { is } from '#db/dialect.ts';
import { transfers } from '#db/schema/transfer.ts';
import { day, hour } from '#domain/kernel/time.ts';

/** A viewer can cancel or decline this many offers of one reward within a day before claims are paused. */
const FREE_OFFERS = 3;
const MAX_PAUSE_MS = 12 * hour;

/**
 * Returns the end of the pause for each reward that cannot be claimed again because its viewer cancelled or
 * declined three or more offers within a day. The pause lasts an hour from the last one, and twice as long
 * with each further one, up to twelve hours. Rewards without a pause are left out; a pause may be over
 * already.
 */
export async function listClaimPauses(
  q: Reader,
  rewardIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (rewardIds.length === 0) return new Map();
  const rows = await q
    .select({ rewardId: transfers.rewardId, sentAtMs: transfers.sentAtMs })
    .from(transfers)
    .where(
      and(
        inArray(transfers.rewardId, [...rewardIds]),
        gt(transfers.sentAtMs, 0),
        // Cancellations for our own reasons do not count against the viewer.
        or(
          is(transfers.state, 'declined'),
          and(
            is(transfers.state, 'cancelled'),
            eq(transfers.cancelWanted, true),
            isNull(transfers.lastError),
          ),
        ),
      ),
    )
    .orderBy(desc(transfers.id));
  const sent = new Map<string, number[]>();
  for (const { rewardId, sentAtMs } of rows)
    if (rewardId !== null) sent.set(rewardId, [...(sent.get(rewardId) ?? []), sentAtMs ?? 0]);
  const pauses = [...sent].map(([rewardId, times]) => [rewardId, pauseAfter(times)] as const);
  return new Map(pauses.filter((pause): pause is [string, number] => pause[1] !== null));
}

function pauseAfter(sentAtMs: readonly number[]): number | null {
  const lastMs = Math.max(...sentAtMs);
  const recent = sentAtMs.filter((ms) => ms > lastMs - day).length;
  if (recent < FREE_OFFERS) return null;
  return lastMs + Math.min(hour * 2 ** (recent - FREE_OFFERS), MAX_PAUSE_MS);
}
