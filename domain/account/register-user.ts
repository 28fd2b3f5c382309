import type { Database } from '#db/database.ts';
import { type Locale, users } from '#db/schema/user.ts';
import type { AccountCodeOf } from '#domain/account/account-code.ts';
import { emailAddress } from '#domain/account/email-address.ts';
import { queueVerification } from '#domain/account/queue-verification.ts';
import { newId } from '#domain/id.ts';
import { done, type Outcome, refuse } from '#domain/outcome.ts';

/**
 * Opens an account by e-mail address and password (already hashed) and queues the mail that verifies the address.
 * Refused with `emailTaken` when the address has an account, in whatever letter case; the account is left alone.
 */
export async function registerUser(
  db: Database,
  input: { name: string; email: string; passwordHash: string; locale: Locale },
  nowMs: number,
): Promise<Outcome<{ userId: string }, AccountCodeOf<'emailTaken'>>> {
  const { name, passwordHash, locale } = input;
  const user = {
    id: newId(nowMs),
    name: name.trim(),
    email: emailAddress(input.email),
    passwordHash,
    locale,
    createdAtMs: nowMs,
  };
  return db.transaction(async (tx) => {
    const added = await tx.insert(users).values(user).onConflictDoNothing().returning({ id: users.id });
    if (added.length === 0) return refuse('emailTaken');
    await queueVerification(tx, user, nowMs);
    return done({ userId: user.id });
  });
}
