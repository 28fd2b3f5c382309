import { max, type SQL, sql } from 'drizzle-orm';
import type { assetFacts } from '#db/schema/asset.ts';
import type { items } from '#db/schema/item.ts';
import type { transferItems } from '#db/schema/transfer.ts';

type Fact = keyof ReturnType<typeof assetFacts>;
type Table = typeof items | typeof transferItems;

/**
 * What is told of a kind where rows of a table are grouped by game and market name. Pieces of one kind may differ in
 * their pictures; one of them stands for all.
 */
export function kindColumns(table: Table) {
  const any = (fact: Fact, name: string): SQL.Aliased<string> =>
    sql<string>`${max(table[fact])}`.as(`kind_${name}`);
  return {
    appId: table.appId,
    marketHashName: table.marketHashName,
    name: any('name', 'name'),
    iconUrl: any('iconUrl', 'icon'),
    typeLine: any('typeLine', 'type_line'),
    typeTag: any('typeTag', 'type_tag'),
    rarityTag: any('rarityTag', 'rarity_tag'),
    exterior: any('exterior', 'exterior'),
  };
}
