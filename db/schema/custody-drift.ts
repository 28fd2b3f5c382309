import { int, table, text } from '#db/dialect.ts';
import { items } from '#db/schema/item.ts';

/**
 * Items whose row differs from the holder that the ledger leads to, as found by an audit and not resolved
 * yet.
 */
export const custodyDrifts = table('custody_drifts', {
  itemId: text('item_id')
    .primaryKey()
    .references(() => items.id),
  /** The holder in the item's row when it was found. */
  holder: text('holder').notNull(),
  /** The holder that the ledger leads to; null if its entries form no path. */
  rebuilt: text('rebuilt'),
  foundAtMs: int('found_at_ms').notNull(),
});
