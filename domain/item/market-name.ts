import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';

/** Returns an item's market name, and the amount of a stack. */
export const marketNameOf = ({
  marketHashName,
  amount = 1,
}: {
  marketHashName: string;
  amount?: number;
}): string => (amount > 1 ? `${marketHashName} × ${amount}` : marketHashName);

/** Returns the name under which pages name pieces of one kind once, whatever names and stickers they bear. */
export const shownNameOf = (item: { appId: number; marketHashName: string; amount?: number }): string =>
  `${item.appId} ${marketNameOf(item)}`;

/** Builds the name of `marketNameOf` as an expression. */
export const marketNameIn = ({
  marketHashName,
  amount,
}: Record<'marketHashName' | 'amount', SQLWrapper>): SQL<string> =>
  sql<string>`case when ${amount} > 1 then ${marketHashName} || ' × ' || ${amount} else ${marketHashName} end`;
