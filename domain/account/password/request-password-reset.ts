import type { Database } from '#db/database.ts';
import { users } from '#db/schema/user.ts';
import { hasEmail } from '#domain/account/email/email-address.ts';
import { issueEmailToken } from '#domain/account/email/issue-email-token.ts';
import { queueMail } from '#domain/outbox/queue-mail.ts';

/**
 * Mails a link that sets a new password, good for one hour, to an address that has an account. It answers nothing, so
 * that nobody learns here who has one.
 */
export async function requestPasswordReset(
  db: Database,
  input: { email: string },
  nowMs: number,
): Promise<void> {
  await db.transaction(async (tx) => {
    const [user] = await tx.select().from(users).where(hasEmail(input.email));
    if (!user || user.deletedAtMs !== null) return;
    const { id: userId, name, email, locale } = user;
    const token = await issueEmailToken(tx, { userId, email, purpose: 'reset' }, nowMs);
    const values = { name, email, token };
    await queueMail(tx, { recipient: email, locale, template: 'resetPassword', values }, nowMs);
  });
}
