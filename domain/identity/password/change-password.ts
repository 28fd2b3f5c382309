import { and, eq, isNull } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { users } from '#db/schema/user.ts';
import type { AccountCodeOf } from '#domain/identity/account-code.ts';
import { consumeEmailLinks } from '#domain/identity/email/consume-email-links.ts';
import { notifyOfChange } from '#domain/identity/notify-of-change.ts';
import { endOtherAccess } from '#domain/identity/session/end-session.ts';
import { done, type Outcome, refuse } from '#domain/kernel/outcome.ts';
import { choosePassword, type WeakPasswordCode } from './choose-password.ts';
import { isPassword } from './password.ts';

/**
 * Sets a new password and signs out every other browser. Requires the current one, unless the account was created
 * through Twitch and has none. Also ends what someone with the old password may have begun: an address change, a
 * reset, a companion app code. The owner is mailed. API tokens stay; they are listed and revoked one by one. Refused if
 * the new one is easy to guess (see `choosePassword`).
 */
export async function changePassword(
  db: Database,
  input: { userId: string; current: string; next: string; currentToken: string; site: string },
  nowMs: number,
): Promise<Outcome<object, AccountCodeOf<'passwordWrong'> | WeakPasswordCode>> {
  const { userId, current, next, currentToken, site } = input;
  const [user] = await db.read
    .select({ passwordHash: users.passwordHash, email: users.email, name: users.name })
    .from(users)
    .where(eq(users.id, userId));
  if (!user) throw new Error(`no user ${userId}`);
  const before = user.passwordHash;
  if (before !== null && !(await isPassword(current, before))) return refuse('passwordWrong');
  const chosen = await choosePassword(next, { ...user, site });
  if (!chosen.ok) return chosen;
  const { passwordHash } = chosen;
  return db.transaction(async (tx) => {
    const unchanged = before === null ? isNull(users.passwordHash) : eq(users.passwordHash, before);
    const changed = await tx
      .update(users)
      .set({ passwordHash })
      .where(and(eq(users.id, userId), unchanged))
      .returning({ id: users.id });
    if (changed.length === 0) return refuse('passwordWrong');
    await endOtherAccess(tx, { userId, currentToken });
    await consumeEmailLinks(tx, { userId, purposes: ['reset', 'change'] }, nowMs);
    await notifyOfChange(tx, { userId, change: 'passwordChanged' }, nowMs);
    return done({});
  });
}
