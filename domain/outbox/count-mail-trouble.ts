import { and, desc, eq, gt, isNull, lt, ne, or } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { mails } from '#db/schema/outbox.ts';
import { day, hour } from '#domain/kernel/time.ts';
import { MAX_ATTEMPTS, NEVER_MS } from '#domain/outbox/report-mail.ts';

/** How far back mail that was given up is counted. */
const GIVEN_UP_WITHIN_MS = 7 * day;

export interface MailTrouble {
  /** Mails that wait for more than an hour, the deferred included, but not those that failed as often as others are given up. */
  late: number;
  /** Mails of the last seven days that will not be sent any more, and how many there were in all. */
  givenUp: number;
  all: number;
  /** What went wrong last; null if nothing did. */
  lastError: string | null;
}

/** Counts mail that does not arrive. Domain time. */
export async function countMailTrouble(q: Reader, nowMs: number): Promise<MailTrouble> {
  const since = gt(mails.createdAtMs, nowMs - GIVEN_UP_WITHIN_MS);
  // Always true of the time: it leads SQLite to the index of what is not sent.
  const isUnsent = and(isNull(mails.sentAtMs), gt(mails.runAtMs, 0));
  const isGivenUp = and(eq(mails.runAtMs, NEVER_MS), since);
  // A mail that was attempted is due later each time; one that was not may be meant for later.
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
