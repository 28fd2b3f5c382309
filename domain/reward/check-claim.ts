import { and, eq } from 'drizzle-orm';
import type { Database, Tx } from '#db/database.ts';
import { channels, follows } from '#db/schema/channel.ts';
import { rewards } from '#db/schema/reward.ts';
import { rules } from '#db/schema/rule.ts';
import { transfers } from '#db/schema/transfer.ts';
import { noteFollow } from '#domain/channel/note-follow.ts';
import { day } from '#domain/clock.ts';
import { conditionProgress } from '#domain/rule/condition-progress.ts';
import { advanceTransfer } from '#domain/transfer/advance-transfer.ts';
import { lockOfTransfer } from '#domain/transfer/report-transfer.ts';

/** While Twitch is silent, what was read of a channel's followers decides for this long. */
export const OLDEST_STATE_MS = day;

/** What Twitch says now of one viewer's follow; null: does not follow. */
export interface FollowReading {
  followedAtMs: number | null;
}

/** holds: it may be sent. unmet: it was withdrawn. unknown: it waits until Twitch can be asked. */
export type ClaimVerdict = 'holds' | 'unmet' | 'unknown';

/**
 * Checks a queued claim's conditions again, as Twitch tells them (null: it is silent) or as they were stored within the
 * last day. An unmet claim is withdrawn: its reward is promised again, or recalled when late, and says which condition
 * it was. Watch time only grows and is not asked again.
 */
export async function checkClaim(
  database: Database,
  { transferId, follow }: { transferId: string; follow: FollowReading | null },
  nowMs: number,
): Promise<ClaimVerdict> {
  const lock = await lockOfTransfer(database, transferId);
  return database.transaction(async (tx) => {
    const claim = await readClaim(tx, transferId);
    if (!claim?.twitchId) throw new Error(`transfer ${transferId} is nobody's claim`);
    const { rewardId, channelId, twitchId, followDays } = claim;
    if (follow) await noteFollow(tx, { channelId, twitchId, ...follow });
    else if (nowMs - (claim.followsReadAtMs ?? Number.NEGATIVE_INFINITY) > OLDEST_STATE_MS) return 'unknown';
    const unasked = { watchedSeconds: 0, baselineSeconds: 0, tier: null, redeemedAtMs: null };
    const facts = { ...unasked, ...(follow ?? claim) };
    const asked = {
      followDays,
      watchMinutes: null,
      watchScope: claim.watchScope,
      subscriberTier: null,
      pointsCost: null,
    };
    if (conditionProgress(asked, facts, nowMs).met) return 'holds';
    if (await advanceTransfer(tx, transferId, { event: 'withdrawn', error: 'followUnmet' }, nowMs))
      await tx.update(rewards).set({ unmetCondition: 'follow' }).where(eq(rewards.id, rewardId));
    return 'unmet';
  }, lock);
}

async function readClaim(tx: Tx, transferId: string) {
  const [claim] = await tx
    .select({
      rewardId: rewards.id,
      twitchId: rewards.twitchId,
      channelId: rules.channelId,
      followDays: rules.followDays,
      watchScope: rules.watchScope,
      followsReadAtMs: channels.followsReadAtMs,
      followedAtMs: follows.followedAtMs,
    })
    .from(transfers)
    .innerJoin(rewards, eq(rewards.id, transfers.rewardId))
    .innerJoin(rules, eq(rules.id, rewards.ruleId))
    .innerJoin(channels, eq(channels.id, rules.channelId))
    .leftJoin(follows, and(eq(follows.channelId, rules.channelId), eq(follows.twitchId, rewards.twitchId)))
    .where(eq(transfers.id, transferId));
  return claim ?? null;
}
