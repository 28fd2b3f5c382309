import { and, eq, isNull } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { within } from '#db/dialect.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { liveRuleStates, rules } from '#db/schema/rule.ts';
import { lockChannels } from '#domain/kernel/locks.ts';
import { announce } from '#domain/outbox/announce.ts';
import { changePauseReason, pauseRulesOf } from '#domain/rule/pause-rules.ts';
import { writeToOwner } from './write-to-owner.ts';

/**
 * Records that Twitch shows no such account any more, because it is suspended or deleted (the two look the
 * same). Rules on its channel pause, guests' rules too, and an owner with rules there is mailed once.
 * Promises stay valid. Returns whether it was not known yet.
 */
export async function recordMissingAccount(
  db: Database,
  { twitchId }: { twitchId: string },
  nowMs: number,
): Promise<boolean> {
  return db.transaction(async (tx) => {
    await lockChannels(tx, [twitchId]);
    const [account] = await tx
      .update(twitchAccounts)
      .set({ missingSinceMs: nowMs })
      .where(and(eq(twitchAccounts.twitchId, twitchId), isNull(twitchAccounts.missingSinceMs)))
      .returning();
    if (!account) return false;
    await pauseRulesOf(tx, { channelId: twitchId, reason: 'channelMissing' }, nowMs);
    // Nobody can connect a missing account, so these rules no longer wait for a connection.
    await changePauseReason(tx, { channelId: twitchId, from: 'lostPermission', to: 'channelMissing' });
    const ofChannel = and(eq(rules.channelId, twitchId), within(rules.state, liveRuleStates));
    if ((await tx.$count(rules, ofChannel)) > 0)
      await writeToOwner(tx, { account, template: 'channelMissing' }, nowMs);
    await announce(tx, [{ userId: account.userId, kind: 'account.changed', subjectId: twitchId }], nowMs);
    return true;
  });
}
