import { and, eq } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { is } from '#db/dialect.ts';
import { items } from '#db/schema/item.ts';
import { rewards } from '#db/schema/reward.ts';
import { rules } from '#db/schema/rule.ts';
import { conditionsOf } from '#domain/condition/conditions.ts';
import type { NamedTerms } from './entry-list.ts';
import type { Raffle } from './move-raffle.ts';

/** Reads what a raffle gives and whom it lets in, to be published as it starts: nobody can change it later. */
export async function readTerms(
  q: Reader,
  { ruleId, winnersOutDays, moderatorsMayEnter }: Raffle,
): Promise<NamedTerms> {
  const [rule] = await q.select().from(rules).where(eq(rules.id, ruleId));
  const [item] = await q
    .select({ appId: items.appId, marketHashName: items.marketHashName, traits: items.traits })
    .from(rewards)
    .innerJoin(items, eq(items.id, rewards.itemId))
    .where(and(eq(rewards.ruleId, ruleId), is(rewards.state, 'free')))
    .orderBy(rewards.position)
    .limit(1);
  const asked = { ...item, ...(rule && conditionsOf(rule)) };
  return [
    ...Object.entries(asked).flatMap(([name, value]) => (value === null ? [] : [[name, value] as const])),
    ['winnersOutDays', winnersOutDays],
    ['moderatorsMayEnter', moderatorsMayEnter],
    ['claimTimeoutHours', rule?.claimTimeoutHours ?? 0],
  ];
}
