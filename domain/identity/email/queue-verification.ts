import type { Tx } from '#db/database.ts';
import type { Locale } from '#db/schema/user.ts';
import { queueMail } from '#domain/outbox/queue-mail.ts';
import { issueEmailToken } from './issue-email-token.ts';

/** Queues a mail with a link that verifies an address within 24 hours. It contains nothing that the user wrote. */
export async function queueVerification(
  tx: Tx,
  user: { id: string; email: string; locale: Locale },
  nowMs: number,
): Promise<void> {
  const { id: userId, email, locale } = user;
  const token = await issueEmailToken(tx, { userId, email, purpose: 'verify' }, nowMs);
  await queueMail(tx, { recipient: email, locale, template: 'verifyEmail', values: { token } }, nowMs);
}
