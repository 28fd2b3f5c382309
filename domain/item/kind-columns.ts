import { max, type SQL, sql } from 'drizzle-orm';
import type { assetFacts } from '#db/schema/asset.ts';
import type { items } from '#db/schema/item.ts';
import type { transferItems } from '#db/schema/transfer.ts';

type Fact = keyof ReturnType<typeof assetFacts>;
type Table = typeof items | typeof transferItems;

/**
 * Columns that describe a kind in a query grouped by game, market name and traits. Assets of one kind may differ in
 * their pictures, so any one of them is used.
 */
export function kindColumns(table: Table) {
  const oneOf = (fact: Fact): SQL.Aliased<string> => sql<string>`${max(table[fact])}`.as(`kind_${fact}`);
  return {
    appId: table.appId,
    marketHashName: table.marketHashName,
    traits: table.traits,
    name: oneOf('name'),
    iconUrl: oneOf('iconUrl'),
    typeLine: oneOf('typeLine'),
    typeTag: oneOf('typeTag'),
    rarityTag: oneOf('rarityTag'),
    exterior: oneOf('exterior'),
    traitIcons: oneOf('traitIcons'),
    amount: sql<number>`${max(table.amount)}`.mapWith(Number).as('kind_amount'),
  };
}
