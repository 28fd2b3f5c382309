import { eq, inArray } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { rules } from '#db/schema/rule.ts';
import { type Follower, upsertFollows } from '#domain/channel/upsert-follows.ts';
import { channelLock } from '#domain/kernel/locks.ts';
import { serveInRounds } from '#domain/reward/serve-waiting.ts';
import { qualify } from '#domain/rule/qualify.ts';

/** Records followers that Twitch reported apart from its list. They are too recent to meet a rule. */
export async function recordFollows(
  db: Database,
  reported: { channelId: string; followers: readonly Follower[] },
  nowMs: number,
): Promise<void> {
  await db.transaction((tx) => upsertFollows(tx, { ...reported, seenAtMs: nowMs }));
}

/**
 * Records followers that Twitch was asked about from `askedAtMs` on, and evaluates them. Returns the number of
 * new qualifications.
 */
export async function recordAskedFollows(
  db: Database,
  {
    channelId,
    followers,
    askedAtMs,
  }: { channelId: string; followers: readonly Follower[]; askedAtMs?: number },
  nowMs: number,
): Promise<number> {
  if (followers.length === 0) return 0;
  const ids = followers.map(({ twitchId }) => twitchId);
  const { qualified, left } = await db.transaction(
    async (tx) => {
      await upsertFollows(tx, { channelId, followers, seenAtMs: askedAtMs ?? nowMs });
      const among = inArray(twitchAccounts.twitchId, ids);
      return qualify(tx, { rules: eq(rules.channelId, channelId), among }, nowMs);
    },
    { lock: channelLock(channelId) },
  );
  await serveInRounds(db, channelId, left, nowMs);
  return qualified;
}
