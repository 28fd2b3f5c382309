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
  const oneOf = (fact: Fact, name: string): SQL.Aliased<string> =>
    sql<string>`${max(table[fact])}`.as(`kind_${name}`);
  return {
    appId: table.appId,
    marketHashName: table.marketHashName,
    traits: table.traits,
    name: oneOf('name', 'name'),
    iconUrl: oneOf('iconUrl', 'icon'),
    typeLine: oneOf('typeLine', 'type_line'),
    typeTag: oneOf('typeTag', 'type_tag'),
    rarityTag: oneOf('rarityTag', 'rarity_tag'),
    exterior: oneOf('exterior', 'exterior'),
  };
}
