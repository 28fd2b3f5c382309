import type { Tx } from '#db/database.ts';
import type { Locale } from '#db/schema/user.ts';
import { queueMail } from '#domain/outbox/queue-mail.ts';

/** Queues a message for the operator's mailbox, if configured. `confirmed`: the sender controls the address. */
export async function queueForOperator(
  tx: Tx,
  input: {
    message: { name: string; email: string; message: string; locale: Locale };
    operatorEmail: string | null;
    confirmed: boolean;
  },
  nowMs: number,
): Promise<void> {
  const { message, operatorEmail, confirmed } = input;
  if (operatorEmail === null) return;
  const { name, email, message: text, locale } = message;
  const values = { name, email, message: text, confirmed: confirmed ? 'yes' : 'no' };
  await queueMail(tx, { recipient: operatorEmail, locale, template: 'contactMessage', values }, nowMs);
}
