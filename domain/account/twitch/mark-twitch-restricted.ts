import { and, eq, lte } from 'drizzle-orm';
import type { Database, Tx } from '#db/database.ts';
import { is } from '#db/dialect.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { sessions, users } from '#db/schema/user.ts';
import type { AccountCodeOf } from '#domain/identity/account-code.ts';
import { isAsCapable, missingStreamerScopes, viewerScopes } from '#domain/identity/twitch/twitch-scopes.ts';
import { done, type Outcome, refuse } from '#domain/kernel/outcome.ts';
import { hour } from '#domain/kernel/time.ts';
import { announce } from '#domain/outbox/announce.ts';
import { pauseRulesOf } from '#domain/rule/pause-rules.ts';
import { writeToOwner } from './write-to-owner.ts';

/**
 * Marks a grant as revoked or lacking a scope, so that its owner is asked to reconnect. Rules on the channel pause,
 * guests' rules too, and an owner who streams is mailed once. Of a grant that has ended on Twitch, everyone is signed out
 * who can only sign in with Twitch, as Twitch demands; not while Twitch does not show the account, which could not sign
 * in again. `obtainedAtMs` identifies the failed grant; a newer one is left unchanged.
 */
export async function markTwitchRestricted(
  db: Database,
  input: { twitchId: string; obtainedAtMs: number; hasEnded?: boolean },
  nowMs: number,
): Promise<Outcome<object, AccountCodeOf<'twitchGrantReplaced'>>> {
  const { twitchId, obtainedAtMs, hasEnded = false } = input;
  return db.transaction(async (tx) => {
    const ofGrant = and(
      eq(twitchAccounts.twitchId, twitchId),
      eq(twitchAccounts.tokenObtainedAtMs, obtainedAtMs),
    );
    const [account] = await tx.select().from(twitchAccounts).where(ofGrant);
    if (!account) return refuse('twitchGrantReplaced');
    const changed = await tx
      .update(twitchAccounts)
      .set({ state: 'restricted' })
      .where(and(ofGrant, is(twitchAccounts.state, 'connected')))
      .returning({ twitchId: twitchAccounts.twitchId });
    await pauseRulesOf(tx, { channelId: twitchId, reason: 'lostPermission' }, nowMs);
    // Of a channel that Twitch does not show, its owner has been told, and cannot connect it.
    if (changed.length === 1 && account.missingSinceMs === null) {
      if (missingStreamerScopes(account.scopes).length === 0)
        await writeToOwner(tx, { account, template: 'twitchRestricted' }, nowMs);
      if (hasEnded) await signOut(tx, account, nowMs);
    }
    await announce(tx, [{ userId: account.userId, kind: 'account.changed', subjectId: twitchId }], nowMs);
    return done({});
  });
}

/**
 * Ends the sessions of someone who has no password. Which of the others began with Twitch is not known. Signing in does
 * not replace a streamer's grant, so sessions since the last hourly check began with a grant of their own and stay.
 */
async function signOut(
  tx: Tx,
  { userId, scopes }: typeof twitchAccounts.$inferSelect,
  nowMs: number,
): Promise<void> {
  const [user] = await tx
    .select({ passwordHash: users.passwordHash })
    .from(users)
    .where(eq(users.id, userId));
  if (user?.passwordHash !== null) return;
  const untilMs = isAsCapable(viewerScopes, scopes) ? nowMs : nowMs - hour;
  await tx.delete(sessions).where(and(eq(sessions.userId, userId), lte(sessions.createdAtMs, untilMs)));
}
