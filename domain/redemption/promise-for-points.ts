import { and, eq, isNotNull, isNull, or, sql } from 'drizzle-orm';
import { is } from '#db/dialect.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import type { RefundReason } from '#db/schema/redemption.ts';
import { rewards } from '#db/schema/reward.ts';
import { qualifications, rules } from '#db/schema/rule.ts';
import { users } from '#db/schema/user.ts';
import { channelPoints } from '#domain/condition/channel-points.ts';
import { conditionColumns, conditionProgress, viewerFacts } from '#domain/condition/conditions.ts';
import { lineOf, lineOfRule } from '#domain/draw/rule-line.ts';
import type { ChannelTx } from '#domain/kernel/locks.ts';
import { serveWaiting } from '#domain/reward/serve-waiting.ts';
import { tieBreak } from '#domain/rule/qualify.ts';

type Redeemer = { ruleId: string; twitchId: string };

/**
 * Promises a reward to a viewer who redeemed a rule's custom reward, or returns the reason why not. Rules
 * with points have no waiting list: without a free reward the points are refunded.
 */
export async function promiseForPoints(
  tx: ChannelTx,
  redeemer: Redeemer,
  nowMs: number,
): Promise<{ rewardId: string | null; refusedFor: RefundReason | null }> {
  const rule = await readOpenRule(tx, redeemer);
  if (!rule) return { rewardId: null, refusedFor: 'ruleNotOpen' };
  const reason = await reasonAgainst(tx, rule, redeemer, nowMs);
  if (reason) return { rewardId: null, refusedFor: reason };
  const rewardId = await qualifyAndServe(tx, rule.seed, redeemer, nowMs);
  return { rewardId, refusedFor: rewardId ? null : 'outOfRewards' };
}

/** Reads the rule, with the facts about the viewer that its conditions need. */
async function readOpenRule(tx: ChannelTx, { ruleId, twitchId }: Redeemer) {
  const [rule] = await tx
    .select({
      lineId: lineOfRule(rules),
      ownerId: rules.ownerId,
      channelId: rules.channelId,
      seed: rules.seed,
      ...conditionColumns,
      ...viewerFacts(sql`${twitchId}`),
    })
    .from(rules)
    .where(and(eq(rules.id, ruleId), is(rules.state, 'open')));
  return rule;
}

type OpenRule = NonNullable<Awaited<ReturnType<typeof readOpenRule>>>;

async function reasonAgainst(
  tx: ChannelTx,
  rule: OpenRule,
  { twitchId }: Redeemer,
  nowMs: number,
): Promise<RefundReason | null> {
  const [viewer] = await tx
    .select({ userId: users.id })
    .from(twitchAccounts)
    .innerJoin(users, and(eq(users.id, twitchAccounts.userId), isNotNull(users.emailVerifiedAtMs)))
    .where(eq(twitchAccounts.twitchId, twitchId));
  if (!viewer) return 'notRegistered';
  if (twitchId === rule.channelId || viewer.userId === rule.ownerId) return 'ownRule';
  if (await hasPromise(tx, { lineId: rule.lineId, twitchId, userId: viewer.userId }))
    return 'alreadyPromised';
  // This redemption itself meets the points condition.
  return conditionProgress({ ...rule, [channelPoints.column]: null }, rule, nowMs).met
    ? null
    : 'conditionsUnmet';
}

/** Qualifies the viewer and serves the rule like any other, so that the same reward is chosen. */
async function qualifyAndServe(
  tx: ChannelTx,
  seed: string,
  { ruleId, twitchId }: Redeemer,
  nowMs: number,
): Promise<string | null> {
  await tx
    .insert(qualifications)
    .values({ ruleId, twitchId, qualifiedAtMs: nowMs, tieBreak: tieBreak(seed, twitchId) })
    .onConflictDoNothing();
  await serveWaiting(tx, [ruleId], nowMs);
  const promised = await promisedReward(tx, { ruleId, twitchId });
  if (!promised)
    await tx
      .delete(qualifications)
      .where(
        and(
          eq(qualifications.ruleId, ruleId),
          eq(qualifications.twitchId, twitchId),
          isNull(qualifications.promisedAtMs),
        ),
      );
  return promised;
}

async function promisedReward(tx: ChannelTx, { ruleId, twitchId }: Redeemer): Promise<string | null> {
  const [reward] = await tx
    .select({ id: rewards.id })
    .from(rewards)
    .where(and(eq(rewards.ruleId, ruleId), eq(rewards.twitchId, twitchId)));
  return reward?.id ?? null;
}

/** True also if another Twitch account was connected when the reward was promised, or another account is now. */
async function hasPromise(
  tx: ChannelTx,
  { lineId, twitchId, userId }: { lineId: string; twitchId: string; userId: string },
): Promise<boolean> {
  const [reward] = await tx
    .select({ id: rewards.id })
    .from(rewards)
    .where(and(eq(lineOf(rewards), lineId), or(eq(rewards.twitchId, twitchId), eq(rewards.userId, userId))))
    .limit(1);
  return reward !== undefined;
}
