import { eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { mails } from '#db/schema/outbox.ts';
import { type LeasedMail, underLease } from './lease-mails.ts';

/**
 * Ends the lease of a mail that is due later, without counting an attempt. With null nobody wants the mail,
 * so it is deleted.
 */
export async function deferMail(
  db: Database,
  mail: Pick<LeasedMail, 'id' | 'leaseUntilMs'>,
  dueAtMs: number | null,
): Promise<void> {
  await db.transaction(async (tx) => {
    if (dueAtMs === null) await tx.delete(mails).where(eq(mails.id, mail.id));
    else await tx.update(mails).set({ leaseUntilMs: 0, runAtMs: dueAtMs }).where(underLease(mail));
  });
}
