import { and, eq, isNull } from 'drizzle-orm';
import type { Database, Reader, Tx } from '#db/database.ts';
import { apiTokens } from '#db/schema/access.ts';
import { steamAccounts, twitchAccounts } from '#db/schema/account.ts';
import { emailTokens, users } from '#db/schema/user.ts';
import { deleteChannel } from '#domain/account/delete-channel.ts';
import { hashOf } from '#domain/identity/access/secret-token.ts';
import type { AccountCodeOf } from '#domain/identity/account-code.ts';
import { consumeEmailLink, consumeEmailLinks } from '#domain/identity/email/consume-email-links.ts';
import { emailAddress } from '#domain/identity/email/email-address.ts';
import { notifyOfChange } from '#domain/identity/notify-of-change.ts';
import { choosePassword, type WeakPasswordCode } from '#domain/identity/password/choose-password.ts';
import { endOtherAccess } from '#domain/identity/session/end-session.ts';
import { done, type Outcome, refuse } from '#domain/kernel/outcome.ts';
import { announce } from '#domain/outbox/announce.ts';
import { pauseRulesOf } from '#domain/rule/pause-rules.ts';

type Code = AccountCodeOf<'resetLinkBad'> | WeakPasswordCode;

/**
 * Sets a password by a mailed link, once within an hour, and ends all other access: sessions, API
 * tokens, companion app codes. The link proves the address, so it becomes verified; accounts linked before that proof
 * are unlinked. A second factor stays, and is asked for at the next sign-in. Unknown, used, expired and mismatched links get the same refusal, so that nothing can be learned from
 * it. A password that is easy to guess (see `choosePassword`) is refused too, and the link stays open.
 */
export async function resetPassword(
  db: Database,
  input: { email: string; token: string; password: string; site: string },
  nowMs: number,
): Promise<Outcome<{ userId: string }, Code>> {
  const tokenHash = hashOf(input.token);
  const owner = await ownerOfLink(db.read, { tokenHash, email: input.email }, nowMs);
  if (!owner) return refuse('resetLinkBad');
  const chosen = await choosePassword(input.password, { ...owner, site: input.site });
  if (!chosen.ok) return chosen;
  const { passwordHash } = chosen;
  return db.transaction(async (tx) => {
    // Checked a second time, because another address or another request with this link may have come since.
    const user = await ownerOfLink(tx, { tokenHash, email: input.email }, nowMs);
    if (!user || !(await consumeEmailLink(tx, { tokenHash }, nowMs))) return refuse('resetLinkBad');
    const { id: userId } = user;
    // Also cancels an address change that someone with the old password may have begun.
    await consumeEmailLinks(tx, { userId, purposes: ['reset', 'change'] }, nowMs);
    await tx.update(users).set({ passwordHash }).where(eq(users.id, userId));
    await tx.delete(apiTokens).where(eq(apiTokens.userId, userId));
    await endOtherAccess(tx, { userId, currentToken: null });
    if (user.emailVerifiedAtMs === null) await beginAsVerified(tx, userId, nowMs);
    await notifyOfChange(tx, { userId, change: 'passwordChanged' }, nowMs);
    await announce(tx, [{ userId, kind: 'account.changed', subjectId: userId }], nowMs);
    return done({ userId });
  });
}

/**
 * Finds the account whose password this link may set; null if the link is not for this address, was used, or
 * has expired.
 */
async function ownerOfLink(
  q: Reader,
  { tokenHash, email }: { tokenHash: string; email: string },
  nowMs: number,
): Promise<typeof users.$inferSelect | null> {
  const [found] = await q
    .select({ token: emailTokens, user: users })
    .from(emailTokens)
    .innerJoin(users, eq(users.id, emailTokens.userId))
    .where(
      and(
        eq(emailTokens.tokenHash, tokenHash),
        eq(emailTokens.purpose, 'reset'),
        isNull(emailTokens.usedAtMs),
      ),
    );
  if (!found || found.token.email !== found.user.email) return null;
  if (emailAddress(email) !== emailAddress(found.user.email)) return null;
  return found.token.expiresAtMs > nowMs ? found.user : null;
}

async function beginAsVerified(tx: Tx, userId: string, nowMs: number): Promise<void> {
  await tx.update(users).set({ emailVerifiedAtMs: nowMs }).where(eq(users.id, userId));
  await consumeEmailLinks(tx, { userId, purposes: ['verify'] }, nowMs);
  await tx.delete(steamAccounts).where(eq(steamAccounts.userId, userId));
  const [twitch] = await tx.delete(twitchAccounts).where(eq(twitchAccounts.userId, userId)).returning();
  if (twitch) await deleteChannel(tx, { channelId: twitch.twitchId });
  await pauseRulesOf(tx, { ownerId: userId, reason: 'lostPermission' }, nowMs);
}
