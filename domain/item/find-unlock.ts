import { and, asc, gt } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { is } from '#db/dialect.ts';
import { items } from '#db/schema/item.ts';
import { isOfKind, type KindAmount, oldestOfKind } from '#domain/item/oldest-of-kind.ts';
import { unassigned } from '#domain/item/unassigned.ts';

/**
 * Finds the first of the kinds that are short only because of the lock after a deposit, and when enough of it
 * unlock. Null if something else is missing.
 */
export async function findUnlock(
  q: Reader,
  ownerId: string,
  kinds: readonly KindAmount[],
  nowMs: number,
): Promise<{ name: string; untilMs: number } | null> {
  for (const kind of kinds) {
    const lacking = kind.quantity - (await oldestOfKind(q, ownerId, kind, nowMs)).length;
    if (lacking <= 0) continue;
    const locked = await q
      .select({ name: items.name, untilMs: items.lockedUntilMs })
      .from(items)
      .where(
        and(isOfKind(kind, ownerId), is(items.state, 'held'), gt(items.lockedUntilMs, nowMs), unassigned(q)),
      )
      .orderBy(asc(items.lockedUntilMs))
      .limit(lacking);
    return locked.length === lacking ? (locked.at(-1) ?? null) : null;
  }
  return null;
}
