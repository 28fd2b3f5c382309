import { and, eq, lt, sql } from 'drizzle-orm';
import type { Tx } from '#db/database.ts';
import { isAmong, lesser } from '#db/dialect.ts';
import { rewards } from '#db/schema/reward.ts';
import { rules } from '#db/schema/rule.ts';
import { preparingTransferStates, transfers } from '#db/schema/transfer.ts';
import { underWay, waitsSince } from '#domain/transfer/under-way.ts';

const isPreparing: ReadonlySet<string> = new Set(preparingTransferStates);

/**
 * Returns for how long a claim that ends now has waited without its offer ever reaching the viewer; 0 if it
 * did reach them. The viewer is not to blame for the wait, whether it was for a bot, for a place among the
 * open offers, for Twitch or for Steam. Time that was given back during the wait is left out, and so is a
 * freeze that goes on, because its end gives it back. `transfer` is as it was before its end.
 */
export async function ownDelayMs(
  tx: Tx,
  transfer: Pick<
    typeof transfers.$inferSelect,
    'state' | 'rewardId' | 'createdAtMs' | 'sendsFromMs' | 'givenBackMs'
  >,
  nowMs: number,
): Promise<number> {
  const { state, rewardId, createdAtMs, sendsFromMs, givenBackMs } = transfer;
  if (!isPreparing.has(state) || rewardId === null) return 0;
  const [rule] = await tx
    .select({ frozenAtMs: rules.frozenAtMs })
    .from(rewards)
    .innerJoin(rules, eq(rules.id, rewards.ruleId))
    .where(eq(rewards.id, rewardId));
  const untilMs = Math.min(nowMs, rule?.frozenAtMs ?? nowMs);
  // The claim window already includes the time for which its rule holds it back.
  return Math.max(0, untilMs - Math.max(createdAtMs, sendsFromMs ?? 0) - givenBackMs);
}

/** Records that the viewers of these rewards get the time since then back, on those of their claims that still wait. */
export async function recordGivenBack(
  tx: Tx,
  { rewardIds, sinceMs }: { rewardIds: readonly string[]; sinceMs: number },
  nowMs: number,
): Promise<void> {
  // A claim may have been made after the time until which its rule held it back.
  const waitedMs = lesser(sql`${nowMs} - ${waitsSince}`, sql`${nowMs} - ${transfers.createdAtMs}`);
  await tx
    .update(transfers)
    .set({ givenBackMs: sql`${transfers.givenBackMs} + ${lesser(nowMs - sinceMs, waitedMs)}` })
    .where(
      and(
        isAmong(transfers.rewardId, rewardIds),
        underWay(preparingTransferStates),
        // The clock may have been set back.
        lt(waitsSince, nowMs),
        lt(transfers.createdAtMs, nowMs),
      ),
    );
}
