import { asc, eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { draws } from '#db/schema/draw.ts';
import { items } from '#db/schema/item.ts';
import { rewards } from '#db/schema/reward.ts';
import { rules } from '#db/schema/rule.ts';
import { day } from '#domain/kernel/time.ts';
import { attachRewards } from '#domain/rule/attach-rewards.ts';
import type { RuleDraft } from '#domain/rule/create-rule.ts';
import { addRule, asset, deposit, type Person, START_MS } from '#tests/support/fixtures.ts';

/** An open random rule with this many unlocked items of each kind. */
export async function addRandomRule(
  db: Database,
  streamer: Person,
  pool: Readonly<Record<string, number>>,
  { nowMs = START_MS, ...facts }: Partial<RuleDraft> & { nowMs?: number } = {},
): Promise<string> {
  const ruleId = await addRule(db, streamer, {
    type: 'random',
    watchMinutes: 10,
    rewards: 0,
    nowMs,
    ...facts,
  });
  const amounts = Object.entries(pool);
  const assets = amounts.flatMap(([kind, amount]) => Array.from({ length: amount }, () => asset(kind)));
  await deposit(db, streamer, assets, nowMs - 8 * day);
  const kinds = amounts.map(([marketHashName, quantity]) => ({ appId: 730, marketHashName, quantity }));
  const attached = await attachRewards(db, { ruleId, userId: streamer.userId, kinds }, nowMs);
  if (!attached.ok) throw new Error(`attaching was refused: ${attached.code}`);
  return ruleId;
}

export const drawsOf = (db: Database, ruleId: string) =>
  db.read.select().from(draws).where(eq(draws.ruleId, ruleId)).orderBy(asc(draws.number));

/** The kind of each reward of a rule, oldest first. */
export const kindsOf = (db: Database, ruleId: string) =>
  db.read
    .select({ id: rewards.id, state: rewards.state, kind: items.marketHashName })
    .from(rewards)
    .innerJoin(items, eq(items.id, rewards.itemId))
    .where(eq(rewards.ruleId, ruleId))
    .orderBy(asc(rewards.position));

export async function seedOf(db: Database, ruleId: string): Promise<string> {
  const [rule] = await db.read.select({ seed: rules.seed }).from(rules).where(eq(rules.id, ruleId));
  return rule?.seed ?? '';
}
