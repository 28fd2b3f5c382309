import { eq, sql } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { items } from '#db/schema/item.ts';
import { rules } from '#db/schema/rule.ts';
import { statement } from '#db/statement.ts';

const readItem = statement('any_item_of', (q) =>
  q
    .select({ id: items.id })
    .from(items)
    .where(eq(items.ownerId, sql.placeholder('userId')))
    .limit(1),
);

const readRule = statement('any_rule_of', (q) =>
  q
    .select({ id: rules.id })
    .from(rules)
    .where(eq(rules.ownerId, sql.placeholder('userId')))
    .limit(1),
);

/** Whether a streamer ever deposited an item and created a rule: the last setup steps. */
export async function getReadiness(
  db: Database,
  input: { userId: string },
): Promise<{ hasItem: boolean; hasRule: boolean }> {
  const { userId } = input;
  const item = await readItem(db.read, { userId });
  const rule = await readRule(db.read, { userId });
  return { hasItem: item.length > 0, hasRule: rule.length > 0 };
}
