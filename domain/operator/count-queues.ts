import { and, asc, count, isNotNull, isNull, lte, min, sql } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { is } from '#db/dialect.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { stripeEvents } from '#db/schema/billing.ts';
import { customRewards, redemptions } from '#db/schema/redemption.ts';
import { type TransferKind, transfers } from '#db/schema/transfer.ts';
import { settlementPauses } from '#domain/redemption/defer-redemptions.ts';
import { isSettling, ofConnectedAccount, ofCustomReward } from '#domain/redemption/settling.ts';
import { underWay, waitsSince } from '#domain/transfer/under-way.ts';
import { countMails, type MailQueue } from './count-mails.ts';
import { firstRetry, pausedMs, type Queue, queueOf } from './queue.ts';

export interface Queues {
  /** Transfers that are not sent yet, and mails. Domain time. */
  claims: Queue;
  returns: Queue;
  deposits: Queue;
  mails: MailQueue;
  /**
   * Requests that wait to be sent to Twitch, and subscriptions that wait to be read from Stripe. System time.
   */
  settlements: Queue;
  stripeEvents: Queue;
}

/** Counts the work that is due now, without what is done, given up or planned for later. */
export const countQueues = async (q: Reader, nowMs: number): Promise<Queues> => ({
  claims: await countQueued(q, 'claim', nowMs),
  returns: await countQueued(q, 'return', nowMs),
  deposits: await countQueued(q, 'deposit', nowMs),
  mails: await countMails(q, nowMs),
  settlements: await countSettlements(q),
  stripeEvents: await countStripeEvents(q),
});

async function countQueued(q: Reader, kind: TransferKind, nowMs: number): Promise<Queue> {
  const isQueued = and(underWay(['queued']), is(transfers.kind, kind), lte(waitsSince, nowMs));
  const [queued] = await q
    .select({
      waiting: count(),
      oldestAtMs: min(waitsSince),
      retryAtMs: firstRetry(transfers.attempts, transfers.runAtMs),
    })
    .from(transfers)
    .where(isQueued);
  const [failed] = await q
    .select({ problem: transfers.lastError })
    .from(transfers)
    .where(and(isQueued, isNotNull(transfers.lastError)))
    .orderBy(asc(transfers.createdAtMs))
    .limit(1);
  return queueOf(queued, failed?.problem);
}

/**
 * The start of a settlement's wait is not stored. Settlements are attempted within seconds, so it is computed
 * from the attempts and the pauses between them, about as exactly as those are. A settlement that nobody has
 * attempted yet has no age.
 */
async function countSettlements(q: Reader): Promise<Queue> {
  const { attempts, runAtMs } = redemptions;
  const [settling] = await q
    .select({
      waiting: count(),
      oldestAtMs: firstRetry(attempts, sql`${runAtMs} - ${pausedMs(attempts, settlementPauses)}`),
      retryAtMs: firstRetry(attempts, runAtMs),
    })
    .from(redemptions)
    .innerJoin(customRewards, ofCustomReward)
    .innerJoin(twitchAccounts, ofConnectedAccount)
    .where(isSettling);
  return queueOf(settling);
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
