import { eq } from 'drizzle-orm';
import type { Tx } from '#db/database.ts';
import { users } from '#db/schema/user.ts';
import { issueEmailToken } from '#domain/identity/email/issue-email-token.ts';
import { type AccountChange, queueMail, type SignInFacts } from '#domain/outbox/queue-mail.ts';

/**
 * Mails an account's owner, if the address is verified, that something which protects their items was
 * changed, in the action's own transaction. The mail has a “this wasn't me” link (see `disownAccess`). A
 * caller that checks later whether the mail was sent passes its `mailId`.
 */
export async function notifyOfChange(
  tx: Tx,
  {
    userId,
    change,
    steam,
    mailId,
    facts,
    actAtMs,
  }: {
    userId: string;
    change: AccountChange;
    steam?: string;
    mailId?: string;
    facts?: SignInFacts;
    /** Domain time at which the acts begin that the owner may disown; now if omitted. */
    actAtMs?: number;
  },
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
  const token = canDisown(change)
    ? await issueEmailToken(
        tx,
        { userId, email: recipient, purpose: 'disown', actAtMs: actAtMs ?? nowMs },
        nowMs,
      )
    : undefined;
  const values = { name, change, ...facts, ...(steam !== undefined && { steam }), ...(token && { token }) };
  const id = mailId && { id: mailId };
  await queueMail(tx, { recipient, locale, template: 'accountChanged', values, ...id }, nowMs);
}

/** No link is needed for the operator's own act, which has already ended all access. */
const canDisown = (change: AccountChange): boolean => change !== 'secondFactorRemoved';
