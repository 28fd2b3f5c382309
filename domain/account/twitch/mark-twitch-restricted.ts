import { and, eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { is } from '#db/dialect.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import type { AccountCodeOf } from '#domain/account/account-code.ts';
import { announce } from '#domain/outbox/announce.ts';
import { done, type Outcome, refuse } from '#domain/outcome.ts';
import { pauseRulesOf } from '#domain/rule/pause-rules.ts';
import { writeToOwner } from './write-to-owner.ts';

/**
 * Marks a grant as revoked or lacking a scope, so that its owner is asked to reconnect. Rules on the channel pause,
 * guests' rules too, and the owner is mailed once. `obtainedAtMs` identifies the failed grant; a newer one is left
 * unchanged.
 */
export async function markTwitchRestricted(
  db: Database,
  input: { twitchId: string; obtainedAtMs: number },
  nowMs: number,
): Promise<Outcome<object, AccountCodeOf<'twitchGrantReplaced'>>> {
  const { twitchId, obtainedAtMs } = input;
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
    if (changed.length === 1 && account.missingSinceMs === null)
      await writeToOwner(tx, { account, template: 'twitchRestricted' }, nowMs);
    await announce(tx, [{ userId: account.userId, kind: 'account.changed', subjectId: twitchId }], nowMs);
    return done({});
  });
}
