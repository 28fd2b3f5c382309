import type { Database } from '#db/database.ts';
import { users } from '#db/schema/user.ts';
import { hasEmail } from '#domain/identity/email/email-address.ts';
import { issueEmailToken } from '#domain/identity/email/issue-email-token.ts';
import { nameForMail } from '#domain/identity/email/name-for-mail.ts';
import { queueMail } from '#domain/outbox/queue-mail.ts';

/**
 * Mails a password reset link, valid for one hour, if the address has an account. Returns nothing, so that accounts
 * cannot be discovered.
 */
export async function requestPasswordReset(
  db: Database,
  input: { email: string },
  nowMs: number,
): Promise<void> {
  await db.transaction(async (tx) => {
    const [user] = await tx.select().from(users).where(hasEmail(input.email));
    if (!user || user.deletedAtMs !== null) return;
    const { id: userId, email, locale } = user;
    const token = await issueEmailToken(tx, { userId, email, purpose: 'reset' }, nowMs);
    const values = { ...nameForMail(user), email, token };
    await queueMail(tx, { recipient: email, locale, template: 'resetPassword', values }, nowMs);
  });
}
