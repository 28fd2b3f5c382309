import { and, count, gt, isNotNull, isNull, lte, min, or, sql } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { is } from '#db/dialect.ts';
import { stripeEvents } from '#db/schema/billing.ts';
import { mails } from '#db/schema/outbox.ts';
import { redemptions } from '#db/schema/redemption.ts';

/** How much waits, and since when the oldest does; null if nothing waits. */
export interface Queue {
  waiting: number;
  oldestAtMs: number | null;
}

/**
 * Counts what waits to be sent to Twitch and mail that is due or was deferred (times are domain time), and what waits to be
 * read from Stripe (system time). What is done, and mail that is meant for later, does not count.
 */
export async function countQueues(
  q: Reader,
  nowMs: number,
): Promise<Record<'settlements' | 'mails' | 'stripeEvents', Queue>> {
  const [settling] = await q
    .select({ waiting: count(), oldestAtMs: min(redemptions.redeemedAtMs) })
    .from(redemptions)
    .where(and(is(redemptions.state, 'open'), isNotNull(redemptions.settlement)));
  const dueSinceMs =
    sql<number>`case when ${mails.attempts} > 0 then ${mails.createdAtMs} else ${mails.runAtMs} end`.mapWith(
      Number,
    );
  const [unsent] = await q
    .select({ waiting: count(), oldestAtMs: min(dueSinceMs).mapWith(Number) })
    .from(mails)
    .where(and(isNull(mails.sentAtMs), or(lte(mails.runAtMs, nowMs), gt(mails.attempts, 0))));
  const [unread] = await q
    .select({ waiting: count(), oldestAtMs: min(stripeEvents.receivedAtMs) })
    .from(stripeEvents)
    .where(isNull(stripeEvents.handledAtMs));
  return { settlements: queueOf(settling), mails: queueOf(unsent), stripeEvents: queueOf(unread) };
}

const queueOf = (row: { waiting: number; oldestAtMs: number | null } | undefined): Queue => ({
  waiting: row?.waiting ?? 0,
  oldestAtMs: row?.oldestAtMs == null ? null : Number(row.oldestAtMs),
});
