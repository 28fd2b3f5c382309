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
import { kindNameIn } from '#domain/item/kind-name.ts';

/** The chance that a kind is drawn next, among the kinds available now. */
export interface KindChance extends ItemKind {
  free: number;
  weight: number;
  /** From 0 to 1; a rule's chances add up to 1. */
  chance: number;
}

/**
 * Returns draw chances for the random rules among these, in draw order; a rule without available rewards has no
 * entry.
 */
export async function listChances(
  db: Database,
  ruleIds: readonly string[],
  nowMs: number,
): Promise<Map<string, KindChance[]>> {
  const chances = new Map<string, KindChance[]>();
  if (ruleIds.length === 0) return chances;
  for (const { ruleId, ...kind } of await freeKinds(db, ruleIds, nowMs))
    chances.set(ruleId, [...(chances.get(ruleId) ?? []), { ...kind, chance: 0 }]);
  for (const [ruleId, kinds] of chances) chances.set(ruleId, withChances(kinds.sort(inDrawOrder)));
  return chances;
}

/** Adds each kind's share of the total weight. */
export function withChances<K extends { weight: number }>(kinds: readonly K[]): (K & { chance: number })[] {
  const total = kinds.reduce((sum, { weight }) => sum + weight, 0);
  return kinds.map((kind) => ({ ...kind, chance: kind.weight / total }));
}

const freeKinds = (db: Database, ruleIds: readonly string[], nowMs: number) =>
  db.read
    .select({
      ruleId: rewards.ruleId,
      ...kindColumns(items),
      free: count(),
      weight: sql`coalesce(${max(kindWeights.weight)}, 1)`.mapWith(Number),
    })
    .from(rewards)
    .innerJoin(rules, and(eq(rules.id, rewards.ruleId), eq(rules.type, 'random')))
    .innerJoin(items, and(eq(items.id, rewards.itemId), available(nowMs)))
    .leftJoin(kindWeights, isOfKind(rewards.ruleId, { appId: items.appId, kindName: kindNameIn(items) }))
    .where(and(inArray(rewards.ruleId, [...ruleIds]), is(rewards.state, 'free')))
    .groupBy(rewards.ruleId, items.appId, items.marketHashName, items.traits);
