import { and, eq, isNull } from 'drizzle-orm';
import type { Database, Tx } from '#db/database.ts';
import { mails } from '#db/schema/outbox.ts';
import { minute } from '#domain/kernel/time.ts';
import { underLease } from '#domain/outbox/lease-mails.ts';
import { asksToClaim } from '#domain/outbox/mail-kinds.ts';

export type MailResult =
  | { sent: true }
  /** `permanent`: the receiving server rejected it for good. */
  | { sent: false; error: string; permanent: boolean };

/** A mail that fails this often is given up, unless it is about a promise that waits to be claimed. */
export const MAX_ATTEMPTS = 10;
/** The pause after the first failure, the number of failures for which it doubles, and the longest pause. */
export const mailPauses = { firstMs: minute, doublings: 9, maxMs: 256 * minute } as const;
/** A time that never comes, for mails that are given up. */
export const NEVER_MS = 8_640_000_000_000_000;

type SentMail = Pick<typeof mails.$inferSelect, 'id' | 'attempts' | 'template' | 'leaseUntilMs'>;

/**
 * Records the result of a leased mail. Once sent or given up, its values are cleared because they contain
 * tokens and names. A mail about a promise that waits to be claimed is given up only if it is refused for
 * good: `prepareMail` drops it when the promise is over. Returns whether it was given up. A failure under a lease
 * that was lost says nothing about the attempt that another process makes now, so it is not recorded.
 */
export async function reportMail(
  db: Database,
  mail: SentMail,
  result: MailResult,
  nowMs: number,
): Promise<{ givenUp: boolean }> {
  const attempts = mail.attempts + 1;
  const outcome = outcomeOf(result, { ...mail, attempts }, nowMs);
  const report = async (tx: Tx) =>
    tx
      .update(mails)
      .set({ attempts, leaseUntilMs: 0, ...outcome })
      .where(result.sent ? and(eq(mails.id, mail.id), isNull(mails.sentAtMs)) : underLease(mail))
      .returning({ id: mails.id });
  const reported = await db.transaction(report);
  return { givenUp: reported.length > 0 && outcome.runAtMs === NEVER_MS };
}

function outcomeOf(result: MailResult, mail: SentMail, nowMs: number): Partial<typeof mails.$inferInsert> {
  if (result.sent) return { sentAtMs: nowMs, values: {} };
  const lastError = result.error;
  const isGivenUp = mail.attempts >= MAX_ATTEMPTS && !asksToClaim(mail.template);
  if (result.permanent || isGivenUp) return { lastError, runAtMs: NEVER_MS, values: {} };
  const { firstMs, doublings, maxMs } = mailPauses;
  const pauseMs = mail.attempts > doublings ? maxMs : firstMs * 2 ** (mail.attempts - 1);
  return { lastError, runAtMs: nowMs + pauseMs };
}
