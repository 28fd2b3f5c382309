import { and, eq } from 'drizzle-orm';
import type { Database, Tx } from '#db/database.ts';
import { apiTokens } from '#db/schema/access.ts';
import { steamAccounts, twitchAccounts } from '#db/schema/account.ts';
import { emailTokens, users } from '#db/schema/user.ts';
import { hashOf } from '#domain/account/access/secret-token.ts';
import type { AccountCodeOf } from '#domain/account/account-code.ts';
import { consumeEmailLink, consumeEmailLinks } from '#domain/account/email/consume-email-links.ts';
import { emailAddress } from '#domain/account/email/email-address.ts';
import { notifyOfChange } from '#domain/account/notify-of-change.ts';
import { endOtherAccess } from '#domain/account/session/end-session.ts';
import { deleteChannel } from '#domain/channel/delete-channel.ts';
import { announce } from '#domain/outbox/announce.ts';
import { done, type Outcome, refuse } from '#domain/outcome.ts';
import { pauseRulesOf } from '#domain/rule/pause-rules.ts';

type Code = AccountCodeOf<'resetLinkBad'>;

/**
 * Sets a password (already hashed) by a mailed link, once within an hour, and ends all other access: sessions, API
 * tokens, companion app codes. The link proves the address, so it becomes verified; accounts linked before that proof
 * are unlinked. A second factor stays, and is asked for at the next sign-in. Unknown, used, expired and mismatched links get the same refusal, so that nothing can be learned from
 * it.
 */
export async function resetPassword(
  db: Database,
  input: { email: string; token: string; passwordHash: string },
  nowMs: number,
): Promise<Outcome<{ userId: string }, Code>> {
  const tokenHash = hashOf(input.token);
  return db.transaction(async (tx) => {
    const [found] = await tx
      .select({ token: emailTokens, user: users })
      .from(emailTokens)
      .innerJoin(users, eq(users.id, emailTokens.userId))
      .where(and(eq(emailTokens.tokenHash, tokenHash), eq(emailTokens.purpose, 'reset')));
    if (!found || found.token.email !== found.user.email) return refuse('resetLinkBad');
    if (emailAddress(input.email) !== emailAddress(found.user.email)) return refuse('resetLinkBad');
    if (found.token.expiresAtMs <= nowMs) return refuse('resetLinkBad');
    if (!(await consumeEmailLink(tx, { tokenHash }, nowMs))) return refuse('resetLinkBad');
    const userId = found.user.id;
    // Also cancels an address change that someone with the old password may have begun.
    await consumeEmailLinks(tx, { userId, purposes: ['reset', 'change'] }, nowMs);
    await tx.update(users).set({ passwordHash: input.passwordHash }).where(eq(users.id, userId));
    await tx.delete(apiTokens).where(eq(apiTokens.userId, userId));
    await endOtherAccess(tx, { userId, currentToken: null });
    if (found.user.emailVerifiedAtMs === null) await beginAsVerified(tx, userId, nowMs);
    await notifyOfChange(tx, { userId, change: 'passwordChanged' }, nowMs);
    await announce(tx, [{ userId, kind: 'account.changed', subjectId: userId }], nowMs);
    return done({ userId });
  });
}

async function beginAsVerified(tx: Tx, userId: string, nowMs: number): Promise<void> {
  await tx.update(users).set({ emailVerifiedAtMs: nowMs }).where(eq(users.id, userId));
  await consumeEmailLinks(tx, { userId, purposes: ['verify'] }, nowMs);
  await tx.delete(steamAccounts).where(eq(steamAccounts.userId, userId));
  const [twitch] = await tx.delete(twitchAccounts).where(eq(twitchAccounts.userId, userId)).returning();
  if (twitch) await deleteChannel(tx, { channelId: twitch.twitchId });
  await pauseRulesOf(tx, { ownerId: userId, reason: 'lostPermission' }, nowMs);
}
