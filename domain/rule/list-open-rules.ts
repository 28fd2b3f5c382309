import { and, asc, eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { is } from '#db/dialect.ts';
import { rules } from '#db/schema/rule.ts';
import { type Conditions, conditionColumns } from '#domain/rule/conditions/conditions.ts';
import { countFree } from '#domain/rule/list-rules.ts';

export interface OpenRule extends Conditions {
  id: string;
  name: string;
  freeRewards: number;
}

/** Lists a channel's open rules, oldest first, with the number of rewards left. */
export async function listOpenRules(database: Database, channelId: string): Promise<OpenRule[]> {
  const { id, name } = rules;
  const open = await database.read
    .select({ id, name, ...conditionColumns })
    .from(rules)
    .where(and(eq(rules.channelId, channelId), is(rules.state, 'open')))
    .orderBy(asc(rules.createdAtMs), asc(rules.id));
  const free = await countFree(
    database,
    open.map((rule) => rule.id),
  );
  return open.map((rule) => ({ ...rule, freeRewards: free.get(rule.id) ?? 0 }));
}
