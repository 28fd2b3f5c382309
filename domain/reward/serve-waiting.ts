import { and, asc, eq, inArray, isNotNull, isNull, lte, ne } from 'drizzle-orm';
import { holdLock, type Tx } from '#db/database.ts';
import { is, skipLocked } from '#db/dialect.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { channels } from '#db/schema/channel.ts';
import { items } from '#db/schema/item.ts';
import { rewards } from '#db/schema/reward.ts';
import { qualifications, rules } from '#db/schema/rule.ts';
import { users } from '#db/schema/user.ts';
import { hour } from '#domain/clock.ts';
import { queueMail } from '#domain/outbox/queue-mail.ts';
import { advanceReward } from '#domain/reward/advance-reward.ts';

/** Rules are served this many promises at a time; what is left waits for the next round of the same call. */
const ROUND = 500;

/**
 * Promises an open rule's free rewards to whoever waits, in the order in which they qualified, under the channel's
 * lock; whoever does more in the transaction takes that lock first, so that two never wait for each other. Only items
 * that are held and not locked are promised. Returns how many it promised.
 */
export async function serveWaiting(tx: Tx, ruleId: string, nowMs: number): Promise<number> {
  const [place] = await tx.select({ channelId: rules.channelId }).from(rules).where(eq(rules.id, ruleId));
  if (!place) return 0;
  await holdLock(tx, channelLock(place.channelId));
  // Read under the lock: whoever held it may have paused or closed the rule.
  const [rule] = await tx
    .select({
      name: rules.name,
      state: rules.state,
      channelId: rules.channelId,
      ownerId: rules.ownerId,
      claimTimeoutHours: rules.claimTimeoutHours,
      channelName: channels.displayName,
    })
    .from(rules)
    .innerJoin(channels, eq(channels.id, rules.channelId))
    .where(eq(rules.id, ruleId));
  if (rule?.state !== 'open') return 0;
  let promised = 0;
  for (;;) {
    const free = await freeRewards(tx, ruleId, nowMs);
    const waiting = free.length > 0 ? await nextWaiting(tx, { ruleId, ...rule }, free.length) : [];
    if (waiting.length === 0) return promised;
    const served: string[] = [];
    for (const [place, viewer] of waiting.entries()) {
      const reward = free[place];
      if (reward && (await promiseReward(tx, rule, reward, viewer, nowMs))) served.push(viewer.twitchId);
    }
    await markServed(tx, { ruleId, twitchIds: served }, nowMs);
    promised += served.length;
    if (waiting.length < ROUND || served.length === 0) return promised;
  }
}

/** Names what must not be decided twice at once: who on this channel is promised what. */
export const channelLock = (channelId: string): string => `channel:${channelId}`;

const freeRewards = (tx: Tx, ruleId: string, nowMs: number) =>
  skipLocked(
    tx
      .select({ id: rewards.id, ruleId: rewards.ruleId, itemName: items.name })
      .from(rewards)
      .innerJoin(
        items,
        and(eq(items.id, rewards.itemId), is(items.state, 'held'), lte(items.lockedUntilMs, nowMs)),
      )
      .where(and(eq(rewards.ruleId, ruleId), is(rewards.state, 'free')))
      .orderBy(asc(rewards.position))
      .limit(ROUND),
  );

/** Twitch accounts may have changed hands since they qualified, so owner and broadcaster are left out here as well. */
const nextWaiting = (
  tx: Tx,
  { ruleId, ownerId, channelId }: { ruleId: string; ownerId: string; channelId: string },
  most: number,
) =>
  tx
    .select({
      twitchId: qualifications.twitchId,
      userId: users.id,
      email: users.email,
      name: users.name,
      locale: users.locale,
      notifyByMail: users.notifyByMail,
    })
    .from(qualifications)
    .innerJoin(twitchAccounts, eq(twitchAccounts.twitchId, qualifications.twitchId))
    .innerJoin(users, and(eq(users.id, twitchAccounts.userId), isNotNull(users.emailVerifiedAtMs)))
    .where(
      and(
        eq(qualifications.ruleId, ruleId),
        isNull(qualifications.promisedAtMs),
        ne(users.id, ownerId),
        ne(qualifications.twitchId, channelId),
      ),
    )
    .orderBy(asc(qualifications.qualifiedAtMs), asc(qualifications.tieBreak), asc(qualifications.twitchId))
    .limit(most);

type Waiting = Awaited<ReturnType<typeof nextWaiting>>[number];
type Free = Awaited<ReturnType<typeof freeRewards>>[number];

async function markServed(
  tx: Tx,
  { ruleId, twitchIds }: { ruleId: string; twitchIds: string[] },
  nowMs: number,
): Promise<void> {
  if (twitchIds.length === 0) return;
  await tx
    .update(qualifications)
    .set({ promisedAtMs: nowMs })
    .where(and(eq(qualifications.ruleId, ruleId), inArray(qualifications.twitchId, twitchIds)));
}

async function promiseReward(
  tx: Tx,
  rule: { name: string; claimTimeoutHours: number; channelName: string },
  reward: Free,
  viewer: Waiting,
  nowMs: number,
): Promise<boolean> {
  const claimUntilMs = nowMs + rule.claimTimeoutHours * hour;
  const promised = await advanceReward(
    tx,
    reward.id,
    'promised',
    { twitchId: viewer.twitchId, userId: viewer.userId, promisedAtMs: nowMs, claimUntilMs },
    nowMs,
  );
  if (!promised) return false;
  // Whether it may be sent was read in this transaction: a choice made before it holds.
  if (!viewer.notifyByMail) return true;
  await queueMail(
    tx,
    {
      recipient: viewer.email,
      locale: viewer.locale,
      template: 'rewardPromised',
      values: {
        name: viewer.name,
        item: reward.itemName,
        channel: rule.channelName,
        rule: rule.name,
        claimUntilMs: String(claimUntilMs),
      },
    },
    nowMs,
  );
  return true;
}
