import { and, asc, eq } from 'drizzle-orm';
import { holdLock, type Tx } from '#db/database.ts';
import { is, skipLocked } from '#db/dialect.ts';
import { channels } from '#db/schema/channel.ts';
import { items } from '#db/schema/item.ts';
import { rewards } from '#db/schema/reward.ts';
import { type RuleType, rules } from '#db/schema/rule.ts';
import { tellChat } from '#domain/chat/tell-chat.ts';
import { drawRound } from '#domain/draw/draw-round.ts';
import { available } from '#domain/item/available.ts';
import { type FreeReward, promiseReward } from '#domain/reward/promise-reward.ts';
import { markServed, nextWaiting, type ServedRule, type Waiting } from '#domain/reward/waiting-list.ts';

/** Rules are served this many promises at a time; what is left waits for the next round of the same call. */
const ROUND = 500;

/**
 * Promises an open rule's free rewards to whoever waits, in the order in which they qualified, under the channel's
 * lock; whoever does more in the transaction takes that lock first, so that two never wait for each other. Only items
 * that are held and not locked are promised. Which reward it is, a random rule draws. Returns how many it promised.
 */
export async function serveWaiting(tx: Tx, ruleId: string, nowMs: number): Promise<number> {
  const [place] = await tx.select({ channelId: rules.channelId }).from(rules).where(eq(rules.id, ruleId));
  if (!place) return 0;
  await holdLock(tx, channelLock(place.channelId));
  // Read under the lock: whoever held it may have paused or closed the rule.
  const [rule] = await tx
    .select({
      id: rules.id,
      name: rules.name,
      type: rules.type,
      state: rules.state,
      channelId: rules.channelId,
      ownerId: rules.ownerId,
      claimTimeoutHours: rules.claimTimeoutHours,
      seed: rules.seed,
      channelName: channels.displayName,
      announces: channels.announcesPromises,
    })
    .from(rules)
    .innerJoin(channels, eq(channels.id, rules.channelId))
    .where(eq(rules.id, ruleId));
  if (rule?.state !== 'open') return 0;
  let promised = 0;
  for (;;) {
    const free = await freeRewards(tx, ruleId, nowMs);
    const waiting = free.length > 0 ? await nextWaiting(tx, rule, free.length) : [];
    if (waiting.length === 0) return promised;
    const served = await serveRound[rule.type](tx, rule, { waiting, free }, nowMs);
    await markServed(tx, { ruleId, twitchIds: served }, nowMs);
    const servedIds = new Set(served);
    await tellChat(
      tx,
      rule,
      waiting.filter(({ twitchId }) => servedIds.has(twitchId)),
      nowMs,
    );
    promised += served.length;
    if (waiting.length < ROUND || served.length === 0) return promised;
  }
}

/** Names what must not be decided twice at once: who on this channel is promised what. */
export const channelLock = (channelId: string): string => `channel:${channelId}`;

const freeRewards = (tx: Tx, ruleId: string, nowMs: number) =>
  skipLocked(
    tx
      .select({ id: rewards.id, itemName: items.name })
      .from(rewards)
      .innerJoin(items, and(eq(items.id, rewards.itemId), available(nowMs)))
      .where(and(eq(rewards.ruleId, ruleId), is(rewards.state, 'free')))
      .orderBy(asc(rewards.position))
      .limit(ROUND),
  );

type Round = { waiting: readonly Waiting[]; free: readonly FreeReward[] };

/** How the viewers of one round are served. Answers with the Twitch ids of those who were. */
const serveRound: Record<
  RuleType,
  (tx: Tx, rule: ServedRule, round: Round, nowMs: number) => Promise<string[]>
> = {
  one: async (tx, rule, { waiting, free }, nowMs) => {
    const served: string[] = [];
    for (const [place, viewer] of waiting.entries()) {
      const reward = free[place];
      if (reward && (await promiseReward(tx, rule, reward, viewer, nowMs))) served.push(viewer.twitchId);
    }
    return served;
  },
  random: (tx, rule, { waiting }, nowMs) => drawRound(tx, rule, waiting, nowMs),
};
