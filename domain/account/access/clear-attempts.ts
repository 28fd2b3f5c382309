import { eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { attempts } from '#db/schema/access.ts';

/** Forgets the tries of somebody who has proven themselves. */
export async function clearAttempts(db: Database, input: { key: string }): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.delete(attempts).where(eq(attempts.key, input.key));
  });
}
