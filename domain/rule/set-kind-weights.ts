import { eq, sql } from 'drizzle-orm';
import type { Database, Tx } from '#db/database.ts';
import { kindWeights } from '#db/schema/draw.ts';
import { items } from '#db/schema/item.ts';
import { rewards } from '#db/schema/reward.ts';
import { recordPoolChanges } from '#domain/draw/pool-changes.ts';
import { kindNameOf, type NamedKind } from '#domain/item/kind-name.ts';
import { type ChannelTx, channelLock } from '#domain/kernel/locks.ts';
import { done, type Outcome, refuse } from '#domain/kernel/outcome.ts';
import { announce } from '#domain/outbox/announce.ts';
import { findRuleOf } from '#domain/rule/find-rule.ts';

/** Weights are integers, so that every implementation counts the same. */
export const weightBounds = { min: 1, max: 1_000_000 } as const;

/** The weight of a kind that was given none. */
const DEFAULT_WEIGHT = 1;

export interface KindWeight extends NamedKind {
  appId: number;
  weight: number;
}

export type WeightRefusal =
  | 'notFound'
  | 'ruleClosed'
  /** The rule is not random. */
  | 'notRandom'
  | 'weightOutOfBounds'
  /** One kind was given two weights. */
  | 'weightsDiffer'
  /** The rule never had a reward of that kind. */
  | 'kindUnknown';

/**
 * Sets the draw weights of a random rule's kinds while the rule is not closed. A draw uses and records the weights of
 * its time; past draws do not change. All weights are stored, or none.
 */
export async function setKindWeights(
  db: Database,
  request: { ruleId: string; userId: string; weights: readonly KindWeight[] },
  nowMs: number,
): Promise<Outcome<{ weights: number }, WeightRefusal>> {
  const { ruleId, userId } = request;
  const rule = await findRuleOf(db.read, ruleId, userId);
  if (!rule) return refuse('notFound');
  if (rule.type !== 'random') return refuse('notRandom');
  if (!request.weights.every(withinBounds)) return refuse('weightOutOfBounds');
  const weights = oneEach(request.weights);
  if (!weights) return refuse('weightsDiffer');
  return db.transaction(
    async (tx) => {
      // Check again under the channel lock: the owner may have closed the rule in the meantime.
      if ((await findRuleOf(tx, ruleId, userId))?.state === 'closed') return refuse('ruleClosed');
      const known = new Set((await kindsOf(tx, ruleId)).map(nameOf));
      if (!weights.every((kind) => known.has(nameOf(kind)))) return refuse('kindUnknown');
      await writeWeights(tx, { ruleId, weights }, nowMs);
      await announce(tx, [{ userId, kind: 'rule.changed', subjectId: ruleId }], nowMs);
      return done({ weights: weights.length });
    },
    { lock: channelLock(rule.channelId) },
  );
}

export const withinBounds = ({ weight }: { weight: number }): boolean =>
  Number.isInteger(weight) && weight >= weightBounds.min && weight <= weightBounds.max;

const nameOf = (kind: Omit<KindWeight, 'weight'>) => `${kind.appId} ${kindNameOf(kind)}`;

/** Returns the weights with each kind once; null if a kind has two that differ. */
export function oneEach(weights: readonly KindWeight[]): KindWeight[] | null {
  const byKind = new Map(weights.map((kind) => [nameOf(kind), kind]));
  const agree = weights.every((kind) => byKind.get(nameOf(kind))?.weight === kind.weight);
  return agree ? [...byKind.values()] : null;
}

const kindsOf = (tx: Tx, ruleId: string) =>
  tx
    .selectDistinct({ appId: items.appId, marketHashName: items.marketHashName, traits: items.traits })
    .from(rewards)
    .innerJoin(items, eq(items.id, rewards.itemId))
    .where(eq(rewards.ruleId, ruleId));

/** Writes validated weights, each kind's once, and records what changed for the proof, in the caller's transaction. */
export async function writeWeights(
  tx: ChannelTx,
  { ruleId, weights }: { ruleId: string; weights: readonly KindWeight[] },
  nowMs: number,
): Promise<void> {
  if (weights.length === 0) return;
  const rows = weights.map(({ weight, ...kind }) => ({
    ruleId,
    appId: kind.appId,
    kindName: kindNameOf(kind),
    weight,
  }));
  const stored = await tx.select().from(kindWeights).where(eq(kindWeights.ruleId, ruleId));
  const before = new Map(stored.map(({ appId, kindName, weight }) => [`${appId} ${kindName}`, weight]));
  const changes = rows.flatMap(({ appId, kindName, weight }) => {
    const weightBefore = before.get(`${appId} ${kindName}`) ?? DEFAULT_WEIGHT;
    return weightBefore === weight
      ? []
      : [{ appId, kindName, cause: 'weighed' as const, weightBefore, weight }];
  });
  await recordPoolChanges(tx, { ruleId, changes }, nowMs);
  await tx
    .insert(kindWeights)
    .values(rows)
    .onConflictDoUpdate({
      target: [kindWeights.ruleId, kindWeights.appId, kindWeights.kindName],
      set: { weight: sql`excluded.weight` },
    });
}
