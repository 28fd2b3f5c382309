import { and, asc, eq, isNull, lte } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { skipLocked } from '#db/dialect.ts';
import { mails } from '#db/schema/outbox.ts';

/** A mail that is not reported as sent or failed by then is sent by somebody else. System time. */
const MAIL_LEASE_MS = 120_000;

export type LeasedMail = typeof mails.$inferSelect;

/**
 * Takes due mails for sending. A process that dies between sending and reporting sends that mail a second time, which
 * is better than never.
 */
export async function leaseMails(
  database: Database,
  most: number,
  nowMs: number,
  systemMs: number,
): Promise<LeasedMail[]> {
  return database.transaction(async (tx) => {
    const due = await skipLocked(
      tx
        .select()
        .from(mails)
        .where(and(isNull(mails.sentAtMs), lte(mails.runAtMs, nowMs), lte(mails.leaseUntilMs, systemMs)))
        .orderBy(asc(mails.runAtMs), asc(mails.id))
        .limit(most),
    );
    for (const { id } of due)
      await tx
        .update(mails)
        .set({ leaseUntilMs: systemMs + MAIL_LEASE_MS })
        .where(eq(mails.id, id));
    return due;
  });
}
