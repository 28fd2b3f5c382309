import { eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { users } from '#db/schema/user.ts';
import { announce } from '#domain/outbox/announce.ts';

/** Renames a user. Names are for display only, and two people may share one. */
export async function renameUser(
  db: Database,
  input: { userId: string; name: string },
  nowMs: number,
): Promise<void> {
  const { userId } = input;
  await db.transaction(async (tx) => {
    await tx.update(users).set({ name: input.name.trim() }).where(eq(users.id, userId));
    await announce(tx, [{ userId, kind: 'account.changed', subjectId: userId }], nowMs);
  });
}
