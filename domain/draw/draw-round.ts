import { and, desc, eq, lte, sql } from 'drizzle-orm';
import { is } from '#db/dialect.ts';
import { type Candidate, draws, kindWeights } from '#db/schema/draw.ts';
import { items } from '#db/schema/item.ts';
import { rewards } from '#db/schema/reward.ts';
import { inDrawOrder } from '#domain/draw/draw-order.ts';
import { fingerprintOf } from '#domain/draw/fingerprint.ts';
import { isOfKind } from '#domain/draw/kind-weight.ts';
import type { FreeReward, Pairing } from '#domain/draw/pairing.ts';
import { commitmentOf, pickCandidate } from '#domain/draw/pick-candidate.ts';
import type { ServedRule, Waiting } from '#domain/draw/waiting-list.ts';
import { available } from '#domain/item/available.ts';
import { kindNameIn } from '#domain/item/kind-name.ts';
import type { ChannelTx } from '#domain/kernel/locks.ts';

/** The free rewards of one kind, oldest first, and the kind's weight. */
interface FreeKind {
  appId: number;
  /** The kind's name: the market hash name and, for a special piece, its traits. Draws are stored under this word. */
  marketHashName: string;
  weight: number;
  rewards: FreeReward[];
}

/**
 * Draws a reward for each viewer in order while any are left. The candidates are the kinds with a free reward at that
 * moment, each represented by its oldest. The channel's lock keeps draw numbers without gaps; the caller
 * must write all draws together with their promises, or none.
 */
export async function drawRound(
  tx: ChannelTx,
  rule: ServedRule,
  waiting: readonly Waiting[],
  nowMs: number,
): Promise<Pairing[]> {
  const pool = await freeKinds(tx, rule.id, waiting.length, nowMs);
  const pairings: Pairing[] = [];
  const last = await lastDraw(tx, rule.id);
  let number = (last?.number ?? 0) + 1;
  let previousFingerprint = last ? fingerprintOf(last) : commitmentOf(rule.seed);
  for (const viewer of waiting) {
    const candidates = candidatesOf(pool);
    if (candidates.length === 0) break;
    const key = { ruleId: rule.id, number, twitchId: viewer.twitchId };
    const { kind, ...picked } = pickCandidate(rule.seed, key, candidates);
    const recorded: Candidate[] = candidates.map(({ kind: _, ...candidate }) => candidate);
    const draw = {
      ...key,
      candidates: recorded,
      rewardId: picked.rewardId,
      drawnAtMs: nowMs,
      previousFingerprint,
    };
    const fingerprint = fingerprintOf(draw);
    const reward = kind.rewards.shift();
    if (reward) pairings.push({ rule, viewer, reward, drawn: { draw, fingerprint } });
    number++;
    previousFingerprint = fingerprint;
  }
  return pairings;
}

const candidatesOf = (pool: readonly FreeKind[]): (Candidate & { kind: FreeKind })[] =>
  pool.flatMap((kind) => {
    const { appId, marketHashName, weight } = kind;
    return kind.rewards
      .slice(0, 1)
      .map(({ id: rewardId }) => ({ rewardId, appId, marketHashName, weight, kind }));
  });

async function lastDraw(tx: ChannelTx, ruleId: string) {
  const [draw] = await tx
    .select()
    .from(draws)
    .where(eq(draws.ruleId, ruleId))
    .orderBy(desc(draws.number))
    .limit(1);
  return draw;
}

/** Reads at most as many rewards per kind as can be drawn. */
async function freeKinds(tx: ChannelTx, ruleId: string, limit: number, nowMs: number): Promise<FreeKind[]> {
  const free = tx
    .select({
      id: sql<string>`${rewards.id}`.as('free_id'),
      appId: sql<number>`${items.appId}`.as('free_app_id'),
      kindName: kindNameIn(items).as('free_kind'),
      itemName: sql<string>`${items.name}`.as('free_name'),
      place:
        sql<number>`row_number() over (partition by ${items.appId}, ${items.marketHashName}, ${items.traits} order by ${rewards.position}, ${rewards.id})`.as(
          'free_place',
        ),
    })
    .from(rewards)
    .innerJoin(items, and(eq(items.id, rewards.itemId), available(nowMs)))
    .where(and(eq(rewards.ruleId, ruleId), is(rewards.state, 'free')))
    .as('free');
  const rows = await tx
    .select({
      id: free.id,
      appId: sql`${free.appId}`.mapWith(Number),
      marketHashName: free.kindName,
      itemName: free.itemName,
      weight: sql`coalesce(${kindWeights.weight}, 1)`.mapWith(Number),
    })
    .from(free)
    .leftJoin(kindWeights, isOfKind(ruleId, free))
    .where(lte(free.place, limit))
    .orderBy(free.place);
  const kinds = new Map<string, FreeKind>();
  for (const { id, itemName, ...kind } of rows) {
    const key = `${kind.appId} ${kind.marketHashName}`;
    const known = kinds.get(key) ?? { ...kind, rewards: [] };
    known.rewards.push({ id, itemName });
    kinds.set(key, known);
  }
  return [...kinds.values()].sort(inDrawOrder);
}
