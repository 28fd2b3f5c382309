import { and, desc, eq, gt, isNull, lt, ne, or } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { mails } from '#db/schema/outbox.ts';
import { day, hour } from '#domain/kernel/time.ts';
import { MAX_ATTEMPTS, NEVER_MS } from '#domain/outbox/report-mail.ts';

/** Mails that were given up are counted as far back as this. */
const GIVEN_UP_WITHIN_MS = 7 * day;

export interface MailTrouble {
  /** Mails that wait for more than an hour, the deferred included, but not those that failed as often as others are given up. */
  late: number;
  /**
   * Mails of the last seven days that will not be sent any more, and the number of all mails in those days.
   */
  givenUp: number;
  all: number;
  /** The last error; null if there was none. */
  lastError: string | null;
}

/** Counts mails that do not arrive. Domain time. */
export async function countMailTrouble(q: Reader, nowMs: number): Promise<MailTrouble> {
  const since = gt(mails.createdAtMs, nowMs - GIVEN_UP_WITHIN_MS);
  // The condition on the time is always true, and leads SQLite to the index of unsent mails.
  const isUnsent = and(isNull(mails.sentAtMs), gt(mails.runAtMs, 0));
  const isGivenUp = and(eq(mails.runAtMs, NEVER_MS), since);
  // Each attempt makes a mail due later; a mail without an attempt may be planned for later.
  const hasWaited = or(
    lt(mails.runAtMs, nowMs - hour),
    and(gt(mails.attempts, 0), lt(mails.createdAtMs, nowMs - hour)),
  );
  const isLate = and(ne(mails.runAtMs, NEVER_MS), lt(mails.attempts, MAX_ATTEMPTS), hasWaited);
  const [last] = await q
    .select({ error: mails.lastError })
    .from(mails)
    .where(and(isUnsent, or(isLate, isGivenUp)))
    .orderBy(desc(mails.attempts), desc(mails.createdAtMs))
    .limit(1);
  return {
    late: await q.$count(mails, and(isUnsent, isLate)),
    givenUp: await q.$count(mails, and(isUnsent, isGivenUp)),
    all: await q.$count(mails, since),
    lastError: last?.error ?? null,
  };
}
