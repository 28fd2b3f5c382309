import { and, eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { is } from '#db/dialect.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { rules } from '#db/schema/rule.ts';
import { channelPoints } from '#domain/condition/channel-points.ts';
import { asksInSql } from '#domain/condition/condition.ts';
import { pointsScope } from '#domain/identity/twitch/twitch-scopes.ts';
import { lockChannels } from '#domain/kernel/locks.ts';
import { pauseRulesOf } from '#domain/rule/pause-rules.ts';

/**
 * Pauses the open rules for channel points on a channel whose grant does not allow them; other rules go on. Returns
 * whether there were any.
 */
export async function pausePointsRules(
  db: Database,
  { twitchId }: { twitchId: string },
  nowMs: number,
): Promise<boolean> {
  const open = and(eq(rules.channelId, twitchId), is(rules.state, 'open'), asksInSql(channelPoints));
  if ((await db.read.$count(rules, open)) === 0) return false;
  return db.transaction(async (tx) => {
    // Taken before the scopes are read: a request that stores better ones resumes the rules under this lock.
    await lockChannels(tx, [twitchId]);
    const [account] = await tx
      .select({ scopes: twitchAccounts.scopes })
      .from(twitchAccounts)
      .where(eq(twitchAccounts.twitchId, twitchId));
    if (account?.scopes.includes(pointsScope)) return false;
    await pauseRulesOf(tx, { channelId: twitchId, reason: 'lostPermission', asksPoints: true }, nowMs);
    return true;
  });
}
