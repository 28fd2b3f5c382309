import type { Database } from '#db/database.ts';
import { contactMessages } from '#db/schema/contact.ts';
import type { Locale } from '#db/schema/user.ts';
import type { ContactCodeOf } from '#domain/contact/contact-code.ts';
import { consumeCaptcha, type SolvedCaptcha } from '#domain/identity/access/consume-captcha.ts';
import { hashOf, newSecretToken } from '#domain/identity/access/secret-token.ts';
import { newId } from '#domain/kernel/id.ts';
import { done, type Outcome, refuse } from '#domain/kernel/outcome.ts';
import { hour } from '#domain/kernel/time.ts';
import { queueMail } from '#domain/outbox/queue-mail.ts';
import { queueForOperator } from './queue-for-operator.ts';

const LINK_LIFETIME_MS = 24 * hour;

/** A message to the operator; `userId` is null for a guest. */
export interface Message {
  userId: string | null;
  name: string;
  email: string;
  message: string;
  locale: Locale;
}

/** The sender's proof: a verified account, a solved captcha, or only the mailbox that a link is sent to. */
export type SenderProof = 'account' | 'mailbox' | SolvedCaptcha;

/**
 * Stores a message and queues it for the operator's mailbox, if configured. Without other proof a confirmation link,
 * valid once for 24 hours, goes to the sender first, and the operator receives nothing until it is opened. Refused
 * with `captchaSpent` if the captcha solution was used before.
 */
export async function sendMessage(
  db: Database,
  input: { message: Message; operatorEmail: string | null; senderProof: SenderProof },
  nowMs: number,
): Promise<Outcome<{ id: string; waits: boolean }, ContactCodeOf<'captchaSpent'>>> {
  const { message, operatorEmail, senderProof } = input;
  const row = { id: newId(nowMs), ...message, createdAtMs: nowMs };
  return db.transaction(async (tx) => {
    if (typeof senderProof === 'object' && !(await consumeCaptcha(tx, senderProof)))
      return refuse('captchaSpent');
    if (senderProof !== 'mailbox') {
      await tx.insert(contactMessages).values(row);
      await queueForOperator(tx, { message, operatorEmail, confirmed: false }, nowMs);
      return done({ id: row.id, waits: false });
    }
    const token = newSecretToken();
    const link = { linkHash: hashOf(token), linkExpiresAtMs: nowMs + LINK_LIFETIME_MS };
    await tx.insert(contactMessages).values({ ...row, ...link });
    const { email: recipient, locale } = message;
    await queueMail(tx, { recipient, locale, template: 'confirmMessage', values: { token } }, nowMs);
    return done({ id: row.id, waits: true });
  });
}
