import { and, eq, inArray, isNotNull } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { missingStreamerScopes } from '#domain/identity/twitch/twitch-scopes.ts';
import { lockChannels } from '#domain/kernel/locks.ts';
import { announce } from '#domain/outbox/announce.ts';
import { evaluateRules } from '#domain/rule/evaluate-rules.ts';
import { resumeRulesOf } from '#domain/rule/pause-rules.ts';
import { writeToOwner } from './write-to-owner.ts';

/**
 * Records that Twitch shows these accounts. Rules that paused while one was missing resume; if its grant died meanwhile,
 * they stay paused and an owner who streams is mailed to connect it again. Returns how many had been missing.
 */
export async function recordShownAccounts(
  db: Database,
  twitchIds: readonly string[],
  nowMs: number,
): Promise<number> {
  if (twitchIds.length === 0) return 0;
  const wasMissing = and(
    inArray(twitchAccounts.twitchId, [...twitchIds]),
    isNotNull(twitchAccounts.missingSinceMs),
  );
  const found = await db.read
    .select({ twitchId: twitchAccounts.twitchId })
    .from(twitchAccounts)
    .where(wasMissing);
  for (const { twitchId } of found) await evaluateRules(db, await recordShown(db, twitchId, nowMs), nowMs);
  return found.length;
}

/** Returns the rules that it opened. */
const recordShown = (db: Database, twitchId: string, nowMs: number): Promise<string[]> =>
  db.transaction(async (tx) => {
    await lockChannels(tx, [twitchId]);
    const [account] = await tx
      .update(twitchAccounts)
      .set({ missingSinceMs: null })
      .where(and(eq(twitchAccounts.twitchId, twitchId), isNotNull(twitchAccounts.missingSinceMs)))
      .returning();
    if (!account) return [];
    const opened = await resumeRulesOf(tx, { channelId: twitchId, reason: 'channelMissing' }, nowMs);
    if (account.state === 'restricted' && missingStreamerScopes(account.scopes).length === 0)
      await writeToOwner(tx, { account, template: 'twitchRestricted' }, nowMs);
    await announce(tx, [{ userId: account.userId, kind: 'account.changed', subjectId: twitchId }], nowMs);
    return opened;
  });
