import {
  and,
  count,
  desc,
  eq,
  gt,
  isNotNull,
  isNull,
  lte,
  min,
  type SQL,
  type SQLWrapper,
  sql,
} from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { is } from '#db/dialect.ts';
import { stripeEvents } from '#db/schema/billing.ts';
import { mails } from '#db/schema/outbox.ts';
import { redemptions } from '#db/schema/redemption.ts';
import { MAX_ATTEMPTS, NEVER_MS, RETRY_MS } from '#domain/outbox/report-mail.ts';

/** How much waits, and since when the oldest does; null if nothing waits. */
export interface Queue {
  waiting: number;
  oldestAtMs: number | null;
  /** When the first of what has failed is tried again; null if nothing has. */
  retryAtMs: number | null;
  /** What the last failure said; null if nothing has failed, or where it is not stored. */
  problem: string | null;
}

export interface Queues {
  settlements: Queue;
  /** `givenUp`: mail that will not be sent any more, of as long as mail is stored. */
  mails: Queue & { givenUp: number };
  stripeEvents: Queue;
}

/**
 * Counts what waits to be sent to Twitch, mail that is due (times are domain time), and what waits to be read from Stripe
 * (system time). What is done, given up or meant for later does not count.
 */
export const countQueues = async (q: Reader, nowMs: number): Promise<Queues> => ({
  settlements: await countSettlements(q),
  mails: await countMails(q, nowMs),
  stripeEvents: await countStripeEvents(q),
});

async function countSettlements(q: Reader): Promise<Queue> {
  const [settling] = await q
    .select({ waiting: count(), oldestAtMs: min(redemptions.redeemedAtMs) })
    .from(redemptions)
    .where(and(is(redemptions.state, 'open'), isNotNull(redemptions.settlement)));
  return queueOf(settling);
}

async function countMails(q: Reader, nowMs: number): Promise<Queues['mails']> {
  // Each failure moves the time from when it is due: n of them by 1, 2, 4 … times the first pause.
  const dueSinceMs =
    sql<number>`${mails.runAtMs} - ${sql.raw(String(RETRY_MS))} * ((1 << cast(${mails.attempts} as int)) - 1)`.mapWith(
      Number,
    );
  // No mail is deferred by more than that, so that what is planned for later days is not read.
  const isSoon = lte(mails.runAtMs, nowMs + RETRY_MS * 2 ** MAX_ATTEMPTS);
  const isWaiting = and(isNull(mails.sentAtMs), isSoon, lte(dueSinceMs, nowMs));
  const [unsent] = await q
    .select({
      waiting: count(),
      oldestAtMs: min(dueSinceMs),
      retryAtMs: firstRetry(mails.attempts, mails.runAtMs),
    })
    .from(mails)
    .where(isWaiting);
  const [failed] = await q
    .select({ problem: mails.lastError })
    .from(mails)
    .where(and(isWaiting, gt(mails.attempts, 0)))
    .orderBy(desc(mails.attempts), desc(mails.runAtMs))
    .limit(1);
  const givenUp = await q.$count(mails, and(isNull(mails.sentAtMs), eq(mails.runAtMs, NEVER_MS)));
  return { ...queueOf(unsent, failed?.problem), givenUp };
}

async function countStripeEvents(q: Reader): Promise<Queue> {
  const [unread] = await q
    .select({
      waiting: count(),
      oldestAtMs: min(stripeEvents.receivedAtMs),
      retryAtMs: firstRetry(stripeEvents.attempts, stripeEvents.retryAtMs),
    })
    .from(stripeEvents)
    .where(isNull(stripeEvents.handledAtMs));
  return queueOf(unread);
}

const firstRetry = (attempts: SQLWrapper, atMs: SQLWrapper): SQL<number | null> =>
  sql<number | null>`min(case when ${attempts} > 0 then ${atMs} end)`;

interface Counted {
  waiting: number;
  oldestAtMs: number | null;
  retryAtMs?: number | null;
}

const numberOrNull = (value: number | null | undefined): number | null =>
  value == null ? null : Number(value);

const queueOf = (row: Counted | undefined, problem: string | null = null): Queue => ({
  waiting: row?.waiting ?? 0,
  oldestAtMs: numberOrNull(row?.oldestAtMs),
  retryAtMs: numberOrNull(row?.retryAtMs),
  problem,
});
