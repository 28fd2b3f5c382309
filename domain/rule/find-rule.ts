import { and, eq } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { rules } from '#db/schema/rule.ts';

/** Finds one of the streamer's own rules; null if it does not exist or belongs to someone else. */
export async function findRuleOf(q: Reader, ruleId: string, ownerId: string) {
  const [rule] = await q
    .select()
    .from(rules)
    .where(and(eq(rules.id, ruleId), eq(rules.ownerId, ownerId)));
  return rule ?? null;
}
