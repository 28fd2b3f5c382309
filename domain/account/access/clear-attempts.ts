import { eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { tries } from '#db/schema/access.ts';

/** Forgets the tries of somebody who has proven themselves. */
export async function forgetTries(db: Database, input: { key: string }): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.delete(tries).where(eq(tries.key, input.key));
  });
}
