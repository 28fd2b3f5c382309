import { eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { sessions } from '#db/schema/user.ts';
import { hashOf } from '#domain/account/access/secret-token.ts';

/** Signs one browser out; a token that ended already is no fault. */
export async function endSession(db: Database, input: { token: string }): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.delete(sessions).where(eq(sessions.tokenHash, hashOf(input.token)));
  });
}
