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
import { turnPushOffWith } from '#domain/push/push-devices.ts';
import { pauseRulesOf } from '#domain/rule/pause-rules.ts';
import { writeToOwner } from './write-to-owner.ts';

/**
 * Marks a grant as revoked or lacking a scope, so that its owner is asked to reconnect. Rules on the channel
 * pause, guests' rules too, and an owner who streams is mailed once. If the grant ended on Twitch, a user who
 * can sign in only with Twitch is signed out, as Twitch demands. That does not happen while Twitch shows no
 * such account, because its owner could not sign in again. `obtainedAtMs` identifies the failed grant; a
 * newer one is left unchanged.
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
    // The owner of a channel that Twitch does not show was notified already, and cannot connect it.
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
 * Ends the sessions of a user who has no password. Nothing says which of them began with Twitch. Sessions
 * younger than the last hourly check began with a grant of their own, because signing in does not replace a
 * streamer's grant, so they stay.
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
  const ended = await tx
    .delete(sessions)
    .where(and(eq(sessions.userId, userId), lte(sessions.createdAtMs, untilMs)))
    .returning({ id: sessions.tokenHash });
  await turnPushOffWith(
    tx,
    ended.map(({ id }) => id),
  );
}
