import { and, asc, eq, isNull, lte } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { skipLocked } from '#db/dialect.ts';
import { mails } from '#db/schema/outbox.ts';
import { isUnleased } from '#domain/kernel/lease.ts';

/** A mail not reported as sent or failed within this time is sent by another process. System time. */
export const MAIL_LEASE_MS = 120_000;

export type LeasedMail = typeof mails.$inferSelect;

/**
 * Leases due mails. A process that crashes between sending and reporting causes a duplicate mail, which is better
 * than none.
 */
export async function leaseMails(
  db: Database,
  limit: number,
  nowMs: number,
  systemMs: number,
): Promise<LeasedMail[]> {
  return db.transaction(async (tx) => {
    const due = await skipLocked(
      tx
        .select()
        .from(mails)
        .where(
          and(
            isNull(mails.sentAtMs),
            lte(mails.runAtMs, nowMs),
            isUnleased(mails.leaseUntilMs, MAIL_LEASE_MS, systemMs),
          ),
        )
        .orderBy(asc(mails.runAtMs), asc(mails.id))
        .limit(limit),
    );
    for (const { id } of due)
      await tx
        .update(mails)
        .set({ leaseUntilMs: systemMs + MAIL_LEASE_MS })
        .where(eq(mails.id, id));
    return due;
  });
}
