import { eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { mails } from '#db/schema/outbox.ts';

/**
 * Ends the lease of a mail that is due later, without counting an attempt. With null nobody wants the mail,
 * so it is deleted.
 */
export async function deferMail(db: Database, { id }: { id: string }, dueAtMs: number | null): Promise<void> {
  await db.transaction(async (tx) => {
    if (dueAtMs === null) await tx.delete(mails).where(eq(mails.id, id));
    else await tx.update(mails).set({ leaseUntilMs: 0, runAtMs: dueAtMs }).where(eq(mails.id, id));
  });
}
