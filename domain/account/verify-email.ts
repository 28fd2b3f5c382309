import { eq } from 'drizzle-orm';
import { type Database, isUniqueViolation, type Tx } from '#db/database.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { users } from '#db/schema/user.ts';
import type { AccountCodeOf } from '#domain/identity/account-code.ts';
import { consumeEmailLink, consumeEmailLinks } from '#domain/identity/email/consume-email-links.ts';
import { type EmailLink, findEmailLink, type LinkCode } from '#domain/identity/email/find-email-link.ts';
import { done, type Outcome, refuse } from '#domain/kernel/outcome.ts';
import { announce } from '#domain/outbox/announce.ts';
import { queueMail } from '#domain/outbox/queue-mail.ts';
import { evaluateViewer } from '#domain/rule/evaluate-viewer.ts';

type Code = AccountCodeOf<LinkCode | 'emailTaken'>;

/**
 * Verifies an address by its link, once within 24 hours; the user need not be signed in. A link to an address the
 * account no longer uses counts as unknown. A change of address takes effect here, and the old address is notified if it
 * was verified.
 * Watch time from before now counts.
 */
export async function verifyEmail(
  db: Database,
  input: { token: string },
  nowMs: number,
): Promise<Outcome<{ userId: string }, Code>> {
  try {
    return await db.transaction(async (tx) => {
      const found = await findEmailLink(tx, input, nowMs);
      if (!found.ok) return found;
      const { token, user } = found.link;
      const userId = user.id;
      if (!(await consumeEmailLink(tx, token, nowMs))) return refuse('verificationUsed');
      const purposes =
        token.purpose === 'change' ? (['verify', 'change', 'reset'] as const) : (['verify'] as const);
      await consumeEmailLinks(tx, { userId, purposes }, nowMs);
      if (token.purpose === 'change') await changeAddress(tx, found.link, nowMs);
      else if (user.emailVerifiedAtMs === null)
        await tx.update(users).set({ emailVerifiedAtMs: nowMs }).where(eq(users.id, userId));
      await countWatching(tx, userId, nowMs);
      await announce(tx, [{ userId, kind: 'account.changed', subjectId: userId }], nowMs);
      return done({ userId });
    });
  } catch (error) {
    // Another account took this address after the link was sent.
    if (isUniqueViolation(error)) return refuse('emailTaken');
    throw error;
  }
}

async function changeAddress(tx: Tx, { token, user }: EmailLink, nowMs: number): Promise<void> {
  const { email } = token;
  const { name, locale, email: recipient } = user;
  await tx.update(users).set({ email, emailVerifiedAtMs: nowMs }).where(eq(users.id, user.id));
  if (user.emailVerifiedAtMs === null) return;
  await queueMail(tx, { recipient, locale, template: 'emailChanged', values: { name, email } }, nowMs);
}

async function countWatching(tx: Tx, userId: string, nowMs: number): Promise<void> {
  const [twitch] = await tx
    .select({ twitchId: twitchAccounts.twitchId })
    .from(twitchAccounts)
    .where(eq(twitchAccounts.userId, userId));
  if (twitch) await evaluateViewer(tx, twitch, nowMs);
}
