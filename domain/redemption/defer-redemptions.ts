import { and, inArray, isNotNull } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { is } from '#db/dialect.ts';
import { redemptions } from '#db/schema/redemption.ts';
import { minute, second } from '#domain/kernel/time.ts';
import type { LeasedRedemption } from '#domain/redemption/lease-redemptions.ts';

/**
 * The pause after the first failure, the number of failures for which it doubles, and the longest pause.
 * System time.
 */
export const settlementPauses = { firstMs: 10 * second, doublings: 6, maxMs: 10 * minute } as const;

const JITTER = 0.2;
/** The longest time between two attempts; a lease is shorter. */
export const LONGEST_WAIT_MS = (1 + JITTER) * settlementPauses.maxMs;

/**
 * Reschedules leased settlements after a Twitch failure, each with exponential backoff by its own attempts, and with
 * jitter. `random` is from 0 to 1.
 */
export async function deferRedemptions(
  db: Database,
  leased: readonly Pick<LeasedRedemption, 'id' | 'attempts'>[],
  systemMs: number,
  { firstPauseMs = settlementPauses.firstMs, random = Math.random() } = {},
): Promise<void> {
  if (leased.length === 0) return;
  await db.transaction(async (tx) => {
    for (const attempts of new Set(leased.map((one) => one.attempts))) {
      const pauseMs = Math.min(settlementPauses.maxMs, firstPauseMs * 2 ** Math.min(attempts - 1, 20));
      const ids = leased.flatMap((one) => (one.attempts === attempts ? [one.id] : []));
      await tx
        .update(redemptions)
        .set({ runAtMs: systemMs + Math.round(pauseMs * (1 - JITTER + 2 * JITTER * random)) })
        .where(
          and(inArray(redemptions.id, ids), is(redemptions.state, 'open'), isNotNull(redemptions.settlement)),
        );
    }
  });
}
