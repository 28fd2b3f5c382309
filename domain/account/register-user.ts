import type { Database } from '#db/database.ts';
import { type Locale, users } from '#db/schema/user.ts';
import { consumeCaptcha, type SolvedCaptcha } from '#domain/identity/access/consume-captcha.ts';
import type { AccountCodeOf } from '#domain/identity/account-code.ts';
import { emailAddress } from '#domain/identity/email/email-address.ts';
import { queueVerification } from '#domain/identity/email/queue-verification.ts';
import { newId } from '#domain/kernel/id.ts';
import { done, type Outcome, refuse } from '#domain/kernel/outcome.ts';

type Code = AccountCodeOf<'emailTaken' | 'captchaSpent'>;

/**
 * Creates an account with an email address and password (already hashed) and queues the verification mail. Refused
 * with `captchaSpent` if the solution was used before, and with `emailTaken` if the address has an account in any
 * letter case. A refusal leaves that account unchanged and still consumes the solution: one solution buys one answer.
 */
export async function registerUser(
  db: Database,
  input: {
    name: string;
    email: string;
    passwordHash: string;
    locale: Locale;
    captcha?: SolvedCaptcha | null;
  },
  nowMs: number,
): Promise<Outcome<{ userId: string }, Code>> {
  const { name, passwordHash, locale, captcha } = input;
  const user = {
    id: newId(nowMs),
    name: name.trim(),
    email: emailAddress(input.email),
    passwordHash,
    locale,
    createdAtMs: nowMs,
  };
  return db.transaction(async (tx) => {
    if (captcha && !(await consumeCaptcha(tx, captcha))) return refuse('captchaSpent');
    const added = await tx.insert(users).values(user).onConflictDoNothing().returning({ id: users.id });
    if (added.length === 0) return refuse('emailTaken');
    await queueVerification(tx, user, nowMs);
    return done({ userId: user.id });
  });
}
