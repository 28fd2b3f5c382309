import { and, asc, eq, notInArray, type SQL } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { within } from '#db/dialect.ts';
import { countedInCustody, items } from '#db/schema/item.ts';
import { available } from '#domain/item/available.ts';
import { unassigned } from '#domain/item/unassigned.ts';

/**
 * A quantity of one kind of item. Without `traits`, only pieces that have none are meant: a name tag, stickers or an
 * effect make a piece its own kind. With `wear`, only the pieces that are worn exactly so, which is one in practice.
 */
export interface KindAmount {
  appId: number;
  marketHashName: string;
  traits?: string;
  wear?: string | undefined;
  quantity: number;
}

/** Whether an item is one of its owner's that is meant by this. */
export const isOfKind = (kind: KindAmount, ownerId: string): SQL | undefined =>
  and(
    eq(items.ownerId, ownerId),
    eq(items.appId, kind.appId),
    eq(items.marketHashName, kind.marketHashName),
    eq(items.traits, kind.traits ?? ''),
    kind.wear ? eq(items.wear, kind.wear) : undefined,
  );

/** Exact pieces first, so that none of them is taken as any piece of its kind. */
export const exactFirst = <Kind extends KindAmount>(kinds: readonly Kind[]): Kind[] =>
  kinds.toSorted((one, other) => Number(!one.wear) - Number(!other.wear));

/**
 * Returns the owner's oldest items of a kind that are held, unlocked and on no rule, up to the quantity; none of those
 * that are taken already.
 */
export const oldestOfKind = (
  q: Reader,
  ownerId: string,
  kind: KindAmount,
  nowMs: number,
  taken: readonly string[] = [],
): Promise<{ id: string }[]> =>
  q
    .select({ id: items.id })
    .from(items)
    .where(
      and(
        isOfKind(kind, ownerId),
        within(items.state, countedInCustody),
        available(nowMs),
        unassigned(q),
        taken.length > 0 ? notInArray(items.id, [...taken]) : undefined,
      ),
    )
    .orderBy(asc(items.receivedAtMs), asc(items.id))
    .limit(kind.quantity);
