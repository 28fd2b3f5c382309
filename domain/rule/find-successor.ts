import { and, eq } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { rules } from '#db/schema/rule.ts';

/** Finds the rule that took the place of one on a channel; null if none did. */
export async function findSuccessor(
  q: Reader,
  { ruleId, channelId }: { ruleId: string; channelId: string },
): Promise<string | null> {
  const [successor] = await q
    .select({ id: rules.id })
    .from(rules)
    .where(and(eq(rules.succeedsId, ruleId), eq(rules.channelId, channelId)));
  return successor?.id ?? null;
}
