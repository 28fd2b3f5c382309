import { and, eq, isNull } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { mails } from '#db/schema/outbox.ts';
import { minute } from '#domain/time.ts';

export type MailResult =
  | { sent: true }
  /** `permanent`: the receiving server rejected it for good. */
  | { sent: false; error: string; permanent: boolean };

/** A mail that fails this often is given up. */
export const MAX_ATTEMPTS = 10;
/** The pause after the first failure; it doubles with each. */
export const RETRY_MS = minute;
/** A time that never comes: the mail is given up. */
export const NEVER_MS = 8_640_000_000_000_000;

/**
 * Records the result of a leased mail. Once sent or given up, its values are cleared because they contain tokens and
 * names.
 */
export async function reportMail(
  database: Database,
  mail: { id: string; attempts: number },
  result: MailResult,
  nowMs: number,
): Promise<void> {
  const attempts = mail.attempts + 1;
  await database.transaction(async (tx) => {
    await tx
      .update(mails)
      .set({ attempts, leaseUntilMs: 0, ...outcomeOf(result, attempts, nowMs) })
      .where(and(eq(mails.id, mail.id), isNull(mails.sentAtMs)));
  });
}

function outcomeOf(result: MailResult, attempts: number, nowMs: number): Partial<typeof mails.$inferInsert> {
  if (result.sent) return { sentAtMs: nowMs, values: {} };
  const lastError = result.error;
  if (result.permanent || attempts >= MAX_ATTEMPTS) return { lastError, runAtMs: NEVER_MS, values: {} };
  return { lastError, runAtMs: nowMs + RETRY_MS * 2 ** (attempts - 1) };
}
