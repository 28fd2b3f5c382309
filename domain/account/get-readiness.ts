import { eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { items } from '#db/schema/item.ts';
import { rules } from '#db/schema/rule.ts';

/** Whether a streamer ever deposited an item and ever wrote a rule: the last steps of getting ready. */
export async function getReadiness(
  db: Database,
  input: { userId: string },
): Promise<{ hasItem: boolean; hasRule: boolean }> {
  const { userId } = input;
  const item = await db.read.select({ id: items.id }).from(items).where(eq(items.ownerId, userId)).limit(1);
  const rule = await db.read.select({ id: rules.id }).from(rules).where(eq(rules.ownerId, userId)).limit(1);
  return { hasItem: item.length > 0, hasRule: rule.length > 0 };
}
