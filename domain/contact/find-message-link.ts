import { eq } from 'drizzle-orm';
import type { Reader, Tx } from '#db/database.ts';
import { contactMessages } from '#db/schema/contact.ts';
import { hashOf } from '#domain/identity/access/secret-token.ts';
import { done, type Outcome, refuse } from '#domain/kernel/outcome.ts';
import type { ContactCodeOf } from './contact-code.ts';

export type MessageLinkCode = ContactCodeOf<'linkUnknown' | 'linkUsed' | 'linkExpired'>;

/** Finds the message behind a valid confirmation link without consuming the link. */
export async function findMessageLink(
  q: Reader | Tx,
  input: { token: string },
  nowMs: number,
): Promise<Outcome<{ message: typeof contactMessages.$inferSelect }, MessageLinkCode>> {
  const [message] = await q
    .select()
    .from(contactMessages)
    .where(eq(contactMessages.linkHash, hashOf(input.token)));
  if (!message) return refuse('linkUnknown');
  if (message.confirmedAtMs !== null) return refuse('linkUsed');
  if (message.linkExpiresAtMs === null || message.linkExpiresAtMs <= nowMs) return refuse('linkExpired');
  return done({ message });
}
