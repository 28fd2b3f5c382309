import type { Tx } from '#db/database.ts';
import { emailTokens, type Locale } from '#db/schema/user.ts';
import { hashOf, newSecretToken } from '#domain/account/secret-token.ts';
import { hour } from '#domain/clock.ts';
import { queueMail } from '#domain/outbox/queue-mail.ts';

export const verificationHours = 24;

/** Issues a link that proves an address, valid for 24 hours, and queues the mail that carries it. */
export async function queueVerification(
  tx: Tx,
  user: { id: string; name: string; email: string; locale: Locale },
  nowMs: number,
): Promise<void> {
  const token = newSecretToken();
  await tx.insert(emailTokens).values({
    tokenHash: hashOf(token),
    userId: user.id,
    purpose: 'verify',
    email: user.email,
    expiresAtMs: nowMs + verificationHours * hour,
  });
  const { name, email: recipient, locale } = user;
  await queueMail(tx, { recipient, locale, template: 'verifyEmail', values: { name, token } }, nowMs);
}
