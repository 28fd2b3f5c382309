import { and, count, desc, eq, gt, isNull, lt, lte, min, sql } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { mails } from '#db/schema/outbox.ts';
import { MAX_ATTEMPTS, mailPauses, NEVER_MS } from '#domain/outbox/report-mail.ts';
import { firstRetry, pausedMs, type Queue, queueOf } from './queue.ts';

/** `givenUp`: mail that will not be sent any more, of as long as mail is stored. */
export type MailQueue = Queue & { givenUp: number };

/**
 * Counts mail that is due. What is planned for later does not wait, and what was given up is counted by itself. Nor does a
 * mail wait that failed often enough to be given up and is still tried: one full mailbox would hide that no mail is sent.
 * Domain time.
 */
export async function countMails(q: Reader, nowMs: number): Promise<MailQueue> {
  // Each failure moves the time from when it is due.
  const dueSinceMs = sql<number>`${mails.runAtMs} - (${pausedMs(mails.attempts, mailPauses)})`.mapWith(
    Number,
  );
  // No mail is deferred by more than that, so that what is planned for later days is not read.
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
