import { eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { users } from '#db/schema/user.ts';
import type { AccountCodeOf } from '#domain/identity/account-code.ts';
import { done, type Outcome, refuse } from '#domain/kernel/outcome.ts';
import { queueVerification } from './queue-verification.ts';

/** Queues another verification mail; earlier links stay valid until they expire. */
export async function resendVerification(
  db: Database,
  input: { userId: string },
  nowMs: number,
): Promise<Outcome<object, AccountCodeOf<'alreadyVerified'>>> {
  return db.transaction(async (tx) => {
    const [user] = await tx.select().from(users).where(eq(users.id, input.userId));
    if (!user) throw new Error(`no user ${input.userId}`);
    if (user.emailVerifiedAtMs !== null) return refuse('alreadyVerified');
    await queueVerification(tx, user, nowMs);
    return done({});
  });
}
