import { and, asc, count, eq, max, ne } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import type { ItemFacts } from '#db/schema/asset.ts';
import { items } from '#db/schema/item.ts';
import { beyond } from '#db/search.ts';
import { available } from '#domain/item/available.ts';
import { factsOf } from '#domain/item/list-custody.ts';
import { unassigned } from '#domain/item/unassigned.ts';
import { decodeCursor, PAGE_SIZE, type Page, pageOf } from '#domain/kernel/page.ts';

/** The parts of the list's cursor. */
export const wornPiecesCursor = ['text', 'text', 'number', 'text'] as const;

const order = [items.marketHashName, items.wear, items.appId, items.traits] as const;

/** Available items of one kind with the same wear; in practice each is one item. */
export type WornPieces = ItemFacts & { appId: number; available: number };

/** Lists an owner's available items whose wear Steam reports, by name and wear: from 0 to 1, as text. */
export async function listWornPieces(
  db: Database,
  asked: { ownerId: string; after?: string | null; size?: number },
  nowMs: number,
): Promise<Page<WornPieces>> {
  const { ownerId, size = PAGE_SIZE } = asked;
  const place = decodeCursor(asked.after, wornPiecesCursor);
  const found = await db.read
    .select({
      appId: items.appId,
      marketHashName: items.marketHashName,
      traits: items.traits,
      wear: items.wear,
      amount: max(items.amount).mapWith(Number),
      available: count(),
      newestId: max(items.id),
    })
    .from(items)
    .where(
      and(
        eq(items.ownerId, ownerId),
        ne(items.wear, ''),
        available(nowMs),
        unassigned(db.read),
        place ? beyond(order, '>', place) : undefined,
      ),
    )
    .groupBy(...order)
    .orderBy(...order.map((column) => asc(column)))
    .limit(size + 1);
  const { rows, next } = pageOf(found, size, (row) => [row.marketHashName, row.wear, row.appId, row.traits]);
  const facts = await factsOf(
    db,
    rows.flatMap(({ newestId }) => newestId ?? []),
  );
  return {
    next,
    rows: rows.flatMap(({ newestId, ...piece }) => {
      const shown = facts.get(newestId ?? '');
      if (!shown) return [];
      const { id: _, rarityColor: __, ...described } = shown;
      return [{ ...described, ...piece }];
    }),
  };
}
