import { and, count, desc, eq, gt, isNull, lt, lte, min, sql } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { mails } from '#db/schema/outbox.ts';
import { MAX_ATTEMPTS, mailPauses, NEVER_MS } from '#domain/outbox/report-mail.ts';
import { firstRetry, pausedMs, type Queue, queueOf } from './queue.ts';

/** `givenUp` counts mails that will not be sent any more, as far back as mails are stored. */
export type MailQueue = Queue & { givenUp: number };

/**
 * Counts mails that are due. Mails planned for later are not waiting, and those given up are counted
 * separately. A mail that failed often enough to be given up, but is still tried, does not count as waiting
 * either: one full mailbox would look as if no mail were sent. Domain time.
 */
export async function countMails(q: Reader, nowMs: number): Promise<MailQueue> {
  // Each failure moves the time at which it is due.
  const dueSinceMs = sql<number>`${mails.runAtMs} - (${pausedMs(mails.attempts, mailPauses)})`.mapWith(
    Number,
  );
  // No mail is deferred by more than that, so mails planned for later days are not read.
  const isSoon = lte(mails.runAtMs, nowMs + mailPauses.maxMs);
  const isWaiting = and(
    isNull(mails.sentAtMs),
    isSoon,
    lte(dueSinceMs, nowMs),
    lt(mails.attempts, MAX_ATTEMPTS),
  );
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
