import { and, count, eq, inArray, max, sql } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { is } from '#db/dialect.ts';
import type { ItemKind } from '#db/schema/asset.ts';
import { kindWeights } from '#db/schema/draw.ts';
import { items } from '#db/schema/item.ts';
import { rewards } from '#db/schema/reward.ts';
import { rules } from '#db/schema/rule.ts';
import { inDrawOrder } from '#domain/draw/draw-order.ts';
import { isOfKind } from '#domain/draw/kind-weight.ts';
import { available } from '#domain/item/available.ts';
import { kindColumns } from '#domain/item/kind-columns.ts';

/** How likely one kind of item is to be drawn next, over the kinds that could be promised now. */
export interface KindChance extends ItemKind {
  free: number;
  weight: number;
  /** From 0 to 1; the chances of a rule add up to 1. */
  chance: number;
}

/** The chances of those of these rules that draw, in the order in which a draw counts; a rule with nothing to promise has no entry. */
export async function listChances(
  database: Database,
  ruleIds: readonly string[],
  nowMs: number,
): Promise<Map<string, KindChance[]>> {
  const chances = new Map<string, KindChance[]>();
  if (ruleIds.length === 0) return chances;
  for (const { ruleId, ...kind } of await freeKinds(database, ruleIds, nowMs))
    chances.set(ruleId, [...(chances.get(ruleId) ?? []), { ...kind, chance: 0 }]);
  for (const [ruleId, kinds] of chances) chances.set(ruleId, withChances(kinds.sort(inDrawOrder)));
  return chances;
}

/** Each with its weight's share of all weights. */
export function withChances<K extends { weight: number }>(kinds: readonly K[]): (K & { chance: number })[] {
  const total = kinds.reduce((sum, { weight }) => sum + weight, 0);
  return kinds.map((kind) => ({ ...kind, chance: kind.weight / total }));
}

const freeKinds = (database: Database, ruleIds: readonly string[], nowMs: number) =>
  database.read
    .select({
      ruleId: rewards.ruleId,
      ...kindColumns(items),
      free: count(),
      weight: sql`coalesce(${max(kindWeights.weight)}, 1)`.mapWith(Number),
    })
    .from(rewards)
    .innerJoin(rules, and(eq(rules.id, rewards.ruleId), eq(rules.type, 'random')))
    .innerJoin(items, and(eq(items.id, rewards.itemId), available(nowMs)))
    .leftJoin(kindWeights, isOfKind(rewards.ruleId, items))
    .where(and(inArray(rewards.ruleId, [...ruleIds]), is(rewards.state, 'free')))
    .groupBy(rewards.ruleId, items.appId, items.marketHashName);
