import { and, eq } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { rules } from '#db/schema/rule.ts';
import { asOwned, type Owned } from '#domain/kernel/owned.ts';
import { ofNoRaffle } from '#domain/rule/of-no-raffle.ts';

/** A rule of the user who asks. */
export type OwnedRule = Owned<{ id: string }>;

/**
 * Finds one of the streamer's own rules; null if it does not exist, belongs to someone else, or holds the items of a
 * raffle.
 */
export async function findRuleOf(q: Reader, ruleId: string, ownerId: string) {
  const [rule] = await q
    .select()
    .from(rules)
    .where(and(eq(rules.id, ruleId), eq(rules.ownerId, ownerId), ofNoRaffle(q)));
  return rule ? asOwned(rule) : null;
}
