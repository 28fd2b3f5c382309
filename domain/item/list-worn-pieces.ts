import { and, asc, eq, ne } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { items } from '#db/schema/item.ts';
import { available } from '#domain/item/available.ts';
import { itemFactColumns } from '#domain/item/item-fact-columns.ts';
import { unassigned } from '#domain/item/unassigned.ts';

/** Lists an owner's available items whose wear Steam told, piece by piece: from 0 to 1, as text. */
export const listWornPieces = (q: Reader, ownerId: string, nowMs: number) =>
  q
    .select({ appId: items.appId, ...itemFactColumns })
    .from(items)
    .where(and(eq(items.ownerId, ownerId), ne(items.wear, ''), available(nowMs), unassigned(q)))
    .orderBy(asc(items.marketHashName), asc(items.wear), asc(items.id));
