import { eq, sql } from 'drizzle-orm';
import type { Database, Tx } from '#db/database.ts';
import { kindWeights } from '#db/schema/draw.ts';
import { items } from '#db/schema/item.ts';
import { rewards } from '#db/schema/reward.ts';
import { announce } from '#domain/outbox/announce.ts';
import { done, type Outcome, refuse } from '#domain/outcome.ts';
import { channelLock } from '#domain/reward/serve-waiting.ts';
import { findRuleOf } from '#domain/rule/find-rule.ts';

/** A weight is a whole number, so that everybody counts the same. */
export const weightBounds = { least: 1, most: 1_000_000 } as const;

export interface KindWeight {
  appId: number;
  marketHashName: string;
  weight: number;
}

export type WeightRefusal =
  | 'notFound'
  | 'ruleClosed'
  /** A rule with one reward draws nothing. */
  | 'notRandom'
  | 'weightOutOfBounds'
  /** The rule never had a reward of that kind. */
  | 'kindUnknown';

/**
 * The owner says how likely each kind of a random rule is against the others, while the rule is not closed. A draw uses
 * and records the weights of its moment; draws that are made stay as they are. Either all weights hold or none.
 */
export async function setKindWeights(
  database: Database,
  request: { ruleId: string; userId: string; weights: readonly KindWeight[] },
  nowMs: number,
): Promise<Outcome<{ weights: number }, WeightRefusal>> {
  const { ruleId, userId, weights } = request;
  const rule = await findRuleOf(database.read, ruleId, userId);
  if (!rule) return refuse('notFound');
  if (rule.type !== 'random') return refuse('notRandom');
  if (!weights.every(withinBounds)) return refuse('weightOutOfBounds');
  return database.transaction(
    async (tx) => {
      // Whether it is closed is asked under the channel's lock: the owner may have closed it a moment ago.
      if ((await findRuleOf(tx, ruleId, userId))?.state === 'closed') return refuse('ruleClosed');
      const known = new Set((await kindsOf(tx, ruleId)).map(nameOf));
      if (!weights.every((kind) => known.has(nameOf(kind)))) return refuse('kindUnknown');
      await writeWeights(tx, ruleId, weights);
      await announce(tx, [{ userId, kind: 'rule.changed', subjectId: ruleId }], nowMs);
      return done({ weights: weights.length });
    },
    { lock: channelLock(rule.channelId) },
  );
}

export const withinBounds = ({ weight }: { weight: number }): boolean =>
  Number.isInteger(weight) && weight >= weightBounds.least && weight <= weightBounds.most;

const nameOf = ({ appId, marketHashName }: Omit<KindWeight, 'weight'>) => `${appId} ${marketHashName}`;

const kindsOf = (tx: Tx, ruleId: string) =>
  tx
    .selectDistinct({ appId: items.appId, marketHashName: items.marketHashName })
    .from(rewards)
    .innerJoin(items, eq(items.id, rewards.itemId))
    .where(eq(rewards.ruleId, ruleId));

/** Within a transaction of the caller's, who holds the channel's lock and has checked them. */
export async function writeWeights(tx: Tx, ruleId: string, weights: readonly KindWeight[]): Promise<void> {
  if (weights.length === 0) return;
  await tx
    .insert(kindWeights)
    .values(weights.map(({ appId, marketHashName, weight }) => ({ ruleId, appId, marketHashName, weight })))
    .onConflictDoUpdate({
      target: [kindWeights.ruleId, kindWeights.appId, kindWeights.marketHashName],
      set: { weight: sql`excluded.weight` },
    });
}
