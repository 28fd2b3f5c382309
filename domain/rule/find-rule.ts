import { and, eq } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { rules } from '#db/schema/rule.ts';

/** A streamer's own rule, or nothing: another's id is as good as none. */
export async function findRuleOf(q: Reader, ruleId: string, ownerId: string) {
  const [rule] = await q
    .select()
    .from(rules)
    .where(and(eq(rules.id, ruleId), eq(rules.ownerId, ownerId)));
  return rule ?? null;
}
