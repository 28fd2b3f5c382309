import { and, eq, isNull } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { contactMessages } from '#db/schema/contact.ts';
import { done, type Outcome, refuse } from '#domain/kernel/outcome.ts';
import { findMessageLink, type MessageLinkCode } from './find-message-link.ts';
import { queueForOperator } from './queue-for-operator.ts';

/** Confirms a message by its link, once and within 24 hours, and queues it for the operator. */
export async function confirmMessage(
  db: Database,
  input: { token: string; operatorEmail: string | null },
  nowMs: number,
): Promise<Outcome<object, MessageLinkCode>> {
  return db.transaction(async (tx) => {
    const found = await findMessageLink(tx, input, nowMs);
    if (!found.ok) return found;
    const { message } = found;
    const taken = await tx
      .update(contactMessages)
      .set({ confirmedAtMs: nowMs })
      .where(and(eq(contactMessages.id, message.id), isNull(contactMessages.confirmedAtMs)))
      .returning({ id: contactMessages.id });
    if (taken.length === 0) return refuse('linkUsed');
    await queueForOperator(tx, { message, operatorEmail: input.operatorEmail, confirmed: true }, nowMs);
    return done({});
  });
}
