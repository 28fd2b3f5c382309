import type { Database } from '#db/database.ts';
import { contactMessages } from '#db/schema/contact.ts';
import type { Locale } from '#db/schema/user.ts';
import { type SolvedCaptcha, spendCaptcha } from '#domain/account/spend-captcha.ts';
import { newId } from '#domain/id.ts';
import { queueMail } from '#domain/outbox/queue-mail.ts';
import { done, type Outcome, refuse } from '#domain/outcome.ts';

/** What somebody writes to the operator; `userId` is null for a guest. */
export interface Message {
  userId: string | null;
  name: string;
  email: string;
  message: string;
  locale: Locale;
}

/**
 * Keeps a message and queues it for the operator's mailbox, if there is one. Refused with `captchaSpent` when the
 * solution that came with it has admitted something before.
 */
export async function sendMessage(
  db: Database,
  input: { message: Message; operatorEmail: string | null; captcha: SolvedCaptcha | null },
  nowMs: number,
): Promise<Outcome<{ id: string }, 'captchaSpent'>> {
  const { message, operatorEmail, captcha } = input;
  const id = newId(nowMs);
  return db.transaction(async (tx) => {
    if (captcha && !(await spendCaptcha(tx, captcha))) return refuse('captchaSpent');
    await tx.insert(contactMessages).values({ id, ...message, createdAtMs: nowMs });
    if (operatorEmail !== null) {
      const { name, email, message: text, locale } = message;
      const values = { name, email, message: text };
      await queueMail(tx, { recipient: operatorEmail, locale, template: 'contactMessage', values }, nowMs);
    }
    return done({ id });
  });
}
