import { sql } from 'drizzle-orm';
import { check, index, int, oneOf, table, text, uniqueIndex, within } from '#db/dialect.ts';
import { assetFacts } from '#db/schema/asset.ts';
import { bots } from '#db/schema/bot.ts';
import { users } from '#db/schema/user.ts';

/** Who holds an item: our bot, a trade offer that is under way, the receiver (still reversible), nobody we can see, or gone for good. */
export const itemStates = ['held', 'outgoing', 'delivered', 'missing', 'gone'] as const;
export type ItemState = (typeof itemStates)[number];
/** States in which the asset must be in one of our bots' inventories. */
export const inCustody = ['held', 'outgoing'] as const satisfies readonly ItemState[];
/** What an owner still has with us, or would have if it were found: neither with its receiver nor gone for good. */
export const countedInCustody = ['held', 'outgoing', 'missing'] as const satisfies readonly ItemState[];

/** One Steam asset in custody. Born when a deposit is accepted. */
export const items = table(
  'items',
  {
    id: text('id').primaryKey(),
    ownerId: text('owner_id')
      .notNull()
      .references(() => users.id),
    botId: text('bot_id')
      .notNull()
      .references(() => bots.id),
    ...assetFacts(),
    state: oneOf('state', itemStates).notNull(),
    /** Until then it can be neither assigned nor returned. */
    lockedUntilMs: int('locked_until_ms').notNull(),
    /** The Steam account that deposited it. */
    depositorSteamId: text('depositor_steam_id').notNull(),
    receivedAtMs: int('received_at_ms').notNull(),
  },
  (t) => [
    uniqueIndex('items_asset').on(t.appId, t.assetId).where(within(sql`state`, inCustody)),
    index('items_owner').on(t.ownerId, t.state),
    /** All that the custody page counts. */
    index('items_custody')
      .on(t.ownerId, t.marketHashName, t.appId, t.state, t.lockedUntilMs, t.id)
      .where(within(sql`state`, countedInCustody)),
    index('items_bot').on(t.botId, t.state),
    check('items_state', within(t.state, itemStates)),
  ],
);

/** Append-only: one row each time an item's holder changes. Alone it rebuilds every item's holder. */
export const ledgerEntries = table(
  'ledger_entries',
  {
    id: text('id').primaryKey(),
    itemId: text('item_id')
      .notNull()
      .references(() => items.id),
    fromHolder: text('from_holder').notNull(),
    toHolder: text('to_holder').notNull(),
    cause: text('cause').notNull(),
    transferId: text('transfer_id'),
    atMs: int('at_ms').notNull(),
  },
  (t) => [index('ledger_entries_item').on(t.itemId, t.id)],
);
