import { and, asc, eq, sql } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { is, isAmong, numberAt, skipLocked } from '#db/dialect.ts';
import { channels } from '#db/schema/channel.ts';
import { items } from '#db/schema/item.ts';
import { rewards } from '#db/schema/reward.ts';
import { rules } from '#db/schema/rule.ts';
import { statement } from '#db/statement.ts';
import { drawRound } from '#domain/draw/draw-round.ts';
import type { Pairing } from '#domain/draw/pairing.ts';
import { lineOfRule } from '#domain/draw/rule-line.ts';
import { countWaiting, nextWaiting } from '#domain/draw/waiting-list.ts';
import { available } from '#domain/item/available.ts';
import { type ChannelTx, channelLock, requireChannel } from '#domain/kernel/locks.ts';
import { pacedTransactions } from '#domain/kernel/paced-transactions.ts';
import { promiseRewards } from '#domain/reward/promise-rewards.ts';

/**
 * Maximum number of promises that a round makes for one rule. A round makes fewer than twice as many in all,
 * and the next round makes the rest.
 */
export const MAX_OF_ROUND = 500;

/** The promises of a round, and the rules that are still to be served. */
export interface Served {
  promised: number;
  left: readonly string[];
}

/**
 * Promises the free rewards of these rules, if open, to the viewers who wait, in the order in which they
 * qualified. One call is one round of at most `limit` promises for each rule. Only items that are held and
 * not locked are promised. A random rule draws the reward. The caller goes on serving after the commit; if it
 * does not, the channel's next sweep does.
 */
export async function serveWaiting(
  tx: ChannelTx,
  ruleIds: readonly string[],
  nowMs: number,
  limit = MAX_OF_ROUND,
): Promise<Served> {
  const { promised, left } = await serveRound(tx, await openRules(tx, ruleIds), nowMs, limit);
  return { promised, left: left.map(({ id }) => id) };
}

/** Serves these rules of a channel to the end, in short transactions. If interrupted, the channel's next sweep goes on. */
export async function serveInRounds(
  db: Database,
  channelId: string,
  ruleIds: readonly string[],
  nowMs: number,
): Promise<void> {
  const serving = pacedTransactions(db, channelLock(channelId), MAX_OF_ROUND);
  for (let left = ruleIds; left.length > 0; )
    ({ left } = await serving((tx, size) => serveWaiting(tx, left, nowMs, size)));
}

async function serveRound(tx: ChannelTx, rules: readonly OpenRule[], nowMs: number, limit: number) {
  const pairings: Pairing[] = [];
  let finished = 0;
  for (const rule of rules) {
    const paired = await pair(tx, rule, nowMs, limit);
    pairings.push(...paired);
    // A rule that reached the limit is left for the next round. It also ends this one, so the finished rules come first.
    if (paired.length < limit) finished++;
    if (pairings.length >= limit) break;
  }
  const promised = pairings.length === 0 ? 0 : await promiseRewards(tx, pairings, nowMs);
  // If nothing was promised, another attempt would find the same rewards and viewers.
  return { promised, left: promised === 0 ? [] : rules.slice(finished) };
}

type OpenRule = Awaited<ReturnType<typeof readRules>>[number];

const readRules = statement('rules_to_serve', (tx) =>
  tx
    .select({
      id: rules.id,
      lineId: lineOfRule(rules),
      name: rules.name,
      type: rules.type,
      state: rules.state,
      frozenAtMs: rules.frozenAtMs,
      checkAfter: rules.checkAfter,
      channelId: rules.channelId,
      ownerId: rules.ownerId,
      claimTimeoutHours: rules.claimTimeoutHours,
      sendDelayHours: rules.sendDelayHours,
      seed: rules.seed,
      channelName: channels.displayName,
      announces: channels.announcesPromises,
    })
    .from(rules)
    .innerJoin(channels, eq(channels.id, rules.channelId))
    .where(isAmong(rules.id, sql.placeholder('ruleIds')))
    .orderBy(asc(rules.channelId), asc(rules.id)),
);

/** Reads those of these rules that are open, not frozen, and whose waiting list is checked. */
async function openRules(tx: ChannelTx, ruleIds: readonly string[]): Promise<OpenRule[]> {
  if (ruleIds.length === 0) return [];
  const found = await readRules(tx, { ruleIds: JSON.stringify(ruleIds) });
  for (const { channelId } of found) requireChannel(tx, channelId);
  return found.filter(
    ({ state, frozenAtMs, checkAfter }) => state === 'open' && frozenAtMs === null && checkAfter === null,
  );
}

const freeRewards = statement('free_rewards', (tx) =>
  skipLocked(
    tx
      .select({ id: rewards.id, itemName: items.name })
      .from(rewards)
      .innerJoin(items, and(eq(items.id, rewards.itemId), available(numberAt('nowMs'))))
      .where(and(eq(rewards.ruleId, sql.placeholder('ruleId')), is(rewards.state, 'free')))
      .orderBy(asc(rewards.position))
      .limit(sql.placeholder('limit')),
  ),
);

/**
 * Matches the next viewers of a rule with its rewards: as many as there are free ones, and one round at most.
 */
async function pair(tx: ChannelTx, rule: OpenRule, nowMs: number, limit: number): Promise<Pairing[]> {
  const { id: ruleId, lineId, ownerId, channelId } = rule;
  // A rule may have thousands of free rewards while few viewers wait.
  const atMost = await countWaiting(tx, { ruleId, limit });
  const free = atMost === 0 ? [] : await freeRewards(tx, { ruleId, nowMs, limit: atMost });
  if (free.length === 0) return [];
  const waiting = await nextWaiting(tx, { ruleId, lineId, ownerId, channelId, limit: free.length });
  if (waiting.length === 0) return [];
  // Of the free rewards only the number counts here: the draw reads all kinds itself.
  if (rule.type === 'random') return drawRound(tx, rule, waiting, nowMs);
  return waiting.flatMap((viewer, place) => {
    const reward = free[place];
    return reward ? [{ rule, viewer, reward }] : [];
  });
}
