import { eq } from 'drizzle-orm';
import { database } from '#app/services/database.server.ts';
import { sessions } from '#db/schema/user.ts';
import { hashOf } from '#domain/identity/access/secret-token.ts';
import type { Visitor } from './visitor.ts';

/** Makes the last proof of who uses this browser's session this old. */
export async function confirmedAgo(visitor: Visitor, ms: number): Promise<void> {
  const db = await database();
  await db.transaction(async (tx) => {
    await tx
      .update(sessions)
      .set({ confirmedAtMs: Date.now() - ms })
      .where(eq(sessions.tokenHash, hashOf(visitor.sessionToken())));
  });
}
