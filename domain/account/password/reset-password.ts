import { and, eq } from 'drizzle-orm';
import type { Database, Tx } from '#db/database.ts';
import { apiTokens, extensionCodes } from '#db/schema/access.ts';
import { steamAccounts, twitchAccounts } from '#db/schema/account.ts';
import { emailTokens, sessions, users } from '#db/schema/user.ts';
import { hashOf } from '#domain/account/access/secret-token.ts';
import type { AccountCodeOf } from '#domain/account/account-code.ts';
import { consumeEmailLink, consumeEmailLinks } from '#domain/account/email/consume-email-links.ts';
import { emailAddress } from '#domain/account/email/email-address.ts';
import { deleteChannel } from '#domain/channel/delete-channel.ts';
import { announce } from '#domain/outbox/announce.ts';
import { done, type Outcome, refuse } from '#domain/outcome.ts';
import { pauseRulesOf } from '#domain/rule/pause-rules.ts';

type Code = AccountCodeOf<'resetLinkBad'>;

/**
 * Sets a password (already hashed) by the link of a mail, once and within the hour, and ends everything that opens the
 * account: sessions, API tokens, codes of the companion app. Who holds the link has proven the address, so it counts as
 * verified; what was linked before that was linked by somebody who had proven nothing, and goes. One refusal for a link that is unknown, used, late
 * or meant for another address: they are told apart by nobody who has no right to know.
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
    // A change of address that somebody else began with the old password ends here as well.
    await consumeEmailLinks(tx, { userId, purposes: ['reset', 'change'] }, nowMs);
    await tx.update(users).set({ passwordHash: input.passwordHash }).where(eq(users.id, userId));
    for (const table of [sessions, apiTokens, extensionCodes])
      await tx.delete(table).where(eq(table.userId, userId));
    if (found.user.emailVerifiedAtMs === null) await beginAsVerified(tx, userId, nowMs);
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
