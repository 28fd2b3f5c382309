import { and, asc, eq, gt, min } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { is, isAmong, within } from '#db/dialect.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { channels } from '#db/schema/channel.ts';
import { items } from '#db/schema/item.ts';
import { customRewards, liveCustomRewardStates, redemptions } from '#db/schema/redemption.ts';
import { rewards } from '#db/schema/reward.ts';
import { rules } from '#db/schema/rule.ts';
import { leaseLeftMs } from '#domain/kernel/lease.ts';
import { LONGEST_WAIT_MS } from '#domain/redemption/defer-redemptions.ts';
import { isSettling, ofConnectedAccount, ofCustomReward } from '#domain/redemption/settling.ts';

/** Milliseconds of system time until the next settlement that can be sent to Twitch; null if there is none. */
export async function nextRedemptionDueMs(q: Reader, systemMs: number): Promise<number | null> {
  const [next] = await q
    .select({ runAtMs: redemptions.runAtMs })
    .from(redemptions)
    .innerJoin(customRewards, ofCustomReward)
    .innerJoin(twitchAccounts, ofConnectedAccount)
    .where(isSettling)
    .orderBy(asc(redemptions.runAtMs))
    .limit(1);
  return next ? leaseLeftMs(next.runAtMs, LONGEST_WAIT_MS, systemMs) : null;
}

/**
 * Milliseconds until a custom reward may change through time alone: a refused one may be retried (system time), or an
 * item of these rules unlocks on a live channel. Null if neither is pending.
 */
export async function nextCustomRewardDueMs(
  q: Reader,
  { ruleIds }: { ruleIds: readonly string[] },
  nowMs: number,
  systemMs: number,
): Promise<number | null> {
  const [refused] = await q
    .select({ retryAtMs: min(customRewards.retryAtMs) })
    .from(customRewards)
    .where(and(gt(customRewards.retryAtMs, systemMs), within(customRewards.state, liveCustomRewardStates)));
  const [locked] = await q
    .select({ untilMs: min(items.lockedUntilMs) })
    .from(rules)
    .innerJoin(channels, and(eq(channels.id, rules.channelId), eq(channels.live, true)))
    .innerJoin(rewards, and(eq(rewards.ruleId, rules.id), is(rewards.state, 'free')))
    .innerJoin(items, and(eq(items.id, rewards.itemId), gt(items.lockedUntilMs, nowMs)))
    .where(isAmong(rules.id, ruleIds));
  const waits = [
    ...(refused?.retryAtMs ? [Number(refused.retryAtMs) - systemMs] : []),
    ...(locked?.untilMs ? [Number(locked.untilMs) - nowMs] : []),
  ];
  return waits.length > 0 ? Math.min(...waits) : null;
}
