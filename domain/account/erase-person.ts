import { and, eq, inArray, ne, notInArray, or } from 'drizzle-orm';
import type { Tx } from '#db/database.ts';
import { accessRequests, apiTokens, extensionCodes } from '#db/schema/access.ts';
import { contactMessages } from '#db/schema/contact.ts';
import { mails } from '#db/schema/outbox.ts';
import { overlays } from '#db/schema/overlay.ts';
import { pushDevices } from '#db/schema/push.ts';
import { emailTokens, sessions, users } from '#db/schema/user.ts';
import { hasEmail } from '#domain/identity/email/email-address.ts';
import { eraseSecondFactor } from '#domain/identity/second-factor/end-second-factor.ts';

/** The name shown for a deleted account. */
export const deletedName = 'Deleted account';

/** Erases all personal data, access and mails of an account; only the bare id stays. */
export async function erasePerson(
  tx: Tx,
  person: { userId: string; email: string },
  nowMs: number,
): Promise<void> {
  const { userId, email } = person;
  const linked = await tx
    .select({ email: emailTokens.email })
    .from(emailTokens)
    .where(eq(emailTokens.userId, userId));
  const addresses = [...new Set([email, ...linked.map((link) => link.email)])];
  // A new address that is not confirmed yet may be somebody else's, and so may the mails to it.
  const theirs = tx
    .select({ email: users.email })
    .from(users)
    .where(and(or(...addresses.map(hasEmail)), ne(users.id, userId)));
  await tx.delete(mails).where(and(inArray(mails.recipient, addresses), notInArray(mails.recipient, theirs)));
  for (const table of [
    sessions,
    emailTokens,
    apiTokens,
    extensionCodes,
    accessRequests,
    contactMessages,
    overlays,
    pushDevices,
  ])
    await tx.delete(table).where(eq(table.userId, userId));
  await eraseSecondFactor(tx, userId);
  await tx
    .update(users)
    .set({
      name: deletedName,
      // `.invalid` can never be a real domain, and the id makes it unique.
      email: `${userId}@deleted.invalid`,
      passwordHash: null,
      emailVerifiedAtMs: null,
      notifyByMail: false,
      timeZone: null,
      frozenAtMs: null,
      disownedFromMs: null,
      deletedAtMs: nowMs,
    })
    .where(eq(users.id, userId));
}
