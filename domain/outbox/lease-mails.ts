import { and, asc, eq, isNull, lte } from 'drizzle-orm';
import type { Database, Tx } from '#db/database.ts';
import { skipLocked } from '#db/dialect.ts';
import { mails } from '#db/schema/outbox.ts';
import { isUnleased } from '#domain/kernel/lease.ts';

/** A mail not reported as sent or failed within this time is sent by another process. System time. */
export const MAIL_LEASE_MS = 120_000;

export type LeasedMail = typeof mails.$inferSelect;

/**
 * Leases due mails. A process that crashes between sending and reporting causes a duplicate mail, which is better
 * than none; both have the same Message-ID, by which many mail servers keep one.
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
    const leaseUntilMs = systemMs + MAIL_LEASE_MS;
    for (const { id } of due) await tx.update(mails).set({ leaseUntilMs }).where(eq(mails.id, id));
    return due.map((mail) => ({ ...mail, leaseUntilMs }));
  });
}

/** Matches a mail only under this lease: its end tells it from later ones. */
export const underLease = ({ id, leaseUntilMs }: Pick<LeasedMail, 'id' | 'leaseUntilMs'>) =>
  and(eq(mails.id, id), eq(mails.leaseUntilMs, leaseUntilMs), isNull(mails.sentAtMs));

/**
 * Begins a mail's lease anew just before it is sent. Returns null if it was lost meanwhile, for example while this
 * process was stopped: then another process sends the mail.
 */
export async function renewMail(
  db: Database,
  mail: LeasedMail,
  systemMs: number,
): Promise<LeasedMail | null> {
  const leaseUntilMs = systemMs + MAIL_LEASE_MS;
  const renew = async (tx: Tx) =>
    tx.update(mails).set({ leaseUntilMs }).where(underLease(mail)).returning({ id: mails.id });
  const renewed = await db.transaction(renew, { quiet: true });
  return renewed.length === 1 ? { ...mail, leaseUntilMs } : null;
}
