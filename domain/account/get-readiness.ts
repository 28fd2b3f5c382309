import { and, eq, exists, sql } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { items } from '#db/schema/item.ts';
import { rules } from '#db/schema/rule.ts';
import { users } from '#db/schema/user.ts';
import { statement } from '#db/statement.ts';
import { ofNoRaffle } from '#domain/rule/of-no-raffle.ts';

const readSteps = statement('steps_of', (q) =>
  q
    .select({
      hasItem: exists(q.select({ id: items.id }).from(items).where(eq(items.ownerId, users.id))).mapWith(
        Boolean,
      ),
      hasRule: exists(
        q
          .select({ id: rules.id })
          .from(rules)
          .where(and(eq(rules.ownerId, users.id), ofNoRaffle(q))),
      ).mapWith(Boolean),
    })
    .from(users)
    .where(eq(users.id, sql.placeholder('userId'))),
);

/**
 * Returns which setup steps a streamer has done: whether they ever deposited an item, and ever created a
 * rule.
 */
export async function getReadiness(
  db: Database,
  input: { userId: string },
): Promise<{ hasItem: boolean; hasRule: boolean }> {
  const [steps] = await readSteps(db.read, input);
  return steps ?? { hasItem: false, hasRule: false };
}
