import { and, isNull } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { users } from '#db/schema/user.ts';
import type { AccountCodeOf } from '#domain/identity/account-code.ts';
import { hasEmail } from '#domain/identity/email/email-address.ts';
import { notifyOfChange } from '#domain/identity/notify-of-change.ts';
import { endOtherAccess } from '#domain/identity/session/end-session.ts';
import { done, type Outcome, refuse } from '#domain/kernel/outcome.ts';
import { eraseSecondFactor } from './end-second-factor.ts';
import { lockSecondFactor } from './prove-second-factor.ts';

/**
 * Removes every second factor of a user who is locked out. The operator does this, after making sure who
 * asks. Every browser is signed out, and the owner is mailed.
 */
export async function removeSecondFactor(
  db: Database,
  { email }: { email: string },
  nowMs: number,
): Promise<Outcome<{ userId: string }, AccountCodeOf<'userUnknown' | 'secondFactorOff'>>> {
  return db.transaction(async (tx) => {
    const [user] = await tx
      .select({ userId: users.id })
      .from(users)
      .where(and(hasEmail(email), isNull(users.deletedAtMs)));
    if (!user) return refuse('userUnknown');
    const { userId } = user;
    if ((await lockSecondFactor(tx, userId)) === null) return refuse('secondFactorOff');
    await eraseSecondFactor(tx, userId);
    await endOtherAccess(tx, { userId, currentToken: null });
    await notifyOfChange(tx, { userId, change: 'secondFactorRemoved' }, nowMs);
    return done({ userId });
  });
}
