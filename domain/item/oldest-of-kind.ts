import { and, asc, eq, notInArray, type SQL } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { within } from '#db/dialect.ts';
import { countedInCustody, items } from '#db/schema/item.ts';
import { available } from '#domain/item/available.ts';
import { unassigned } from '#domain/item/unassigned.ts';

/**
 * A quantity of one kind of item. Without `traits` it means only pieces that have none, because a name tag,
 * stickers or an effect make a piece its own kind. With `wear` it means only pieces of exactly that wear, in
 * practice one.
 */
export interface KindAmount {
  appId: number;
  marketHashName: string;
  traits?: string;
  wear?: string | undefined;
  quantity: number;
}

/** Matches the owner's items of this kind. */
export const isOfKind = (kind: KindAmount, ownerId: string): SQL | undefined =>
  and(
    eq(items.ownerId, ownerId),
    eq(items.appId, kind.appId),
    eq(items.marketHashName, kind.marketHashName),
    eq(items.traits, kind.traits ?? ''),
    kind.wear ? eq(items.wear, kind.wear) : undefined,
  );

/** Sorts exact pieces first, so that none of them is taken as any piece of its kind. */
export const exactFirst = <Kind extends KindAmount>(kinds: readonly Kind[]): Kind[] =>
  kinds.toSorted((one, other) => Number(!one.wear) - Number(!other.wear));

/**
 * Returns the owner's oldest items of a kind that are held, unlocked and on no rule, up to the quantity,
 * without those that are taken already.
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
