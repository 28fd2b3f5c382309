import { eq } from 'drizzle-orm';
import type { Tx } from '#db/database.ts';
import { users } from '#db/schema/user.ts';
import { type AccountChange, queueMail } from '#domain/outbox/queue-mail.ts';

/**
 * Mails an account's owner, if the address is verified, in the action's own transaction, that something which protects
 * their items was changed. `mailId` is given by whoever looks later whether it was sent.
 */
export async function notifyOfChange(
  tx: Tx,
  {
    userId,
    change,
    steam,
    mailId,
  }: { userId: string; change: AccountChange; steam?: string; mailId?: string },
  nowMs: number,
): Promise<void> {
  const [user] = await tx
    .select({
      name: users.name,
      email: users.email,
      locale: users.locale,
      verifiedAtMs: users.emailVerifiedAtMs,
    })
    .from(users)
    .where(eq(users.id, userId));
  if (!user) throw new Error(`no user ${userId}`);
  if (user.verifiedAtMs === null) return;
  const { name, email: recipient, locale } = user;
  const values = { name, change, ...(steam !== undefined && { steam }) };
  const id = mailId && { id: mailId };
  await queueMail(tx, { recipient, locale, template: 'accountChanged', values, ...id }, nowMs);
}
