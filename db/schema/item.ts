import { sql } from 'drizzle-orm';
import { check, index, int, oneOf, table, text, uniqueIndex, within } from '#db/dialect.ts';
import { assetFacts } from '#db/schema/asset.ts';
import { bots } from '#db/schema/bot.ts';
import { users } from '#db/schema/user.ts';

/**
 * The holder of an item: our bot, an open trade offer, the receiver (still reversible), unknown, or out of
 * custody for good.
 */
export const itemStates = ['held', 'outgoing', 'delivered', 'missing', 'gone'] as const;
export type ItemState = (typeof itemStates)[number];
/** States in which the asset must be in one of our bots' inventories. */
export const inCustody = ['held', 'outgoing'] as const satisfies readonly ItemState[];
/** States that count as the owner's: not with the receiver and not out of custody for good. */
export const countedInCustody = ['held', 'outgoing', 'missing'] as const satisfies readonly ItemState[];

/** States in which the asset is in a bot's inventory, or may come back to it. */
export const hereOrBack = [
  'held',
  'outgoing',
  'missing',
  'delivered',
] as const satisfies readonly ItemState[];

/** A Steam asset in custody, created when its deposit is accepted. */
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
    /** Covers everything the custody page counts. */
    index('items_custody')
      .on(t.ownerId, t.marketHashName, t.appId, t.traits, t.state, t.lockedUntilMs, t.id)
      .where(within(sql`state`, countedInCustody)),
    index('items_locked').on(t.ownerId, t.lockedUntilMs).where(sql`state = 'held'`),
    /** Covers the count of what a bot holds of each game. */
    index('items_bot').on(t.botId, t.state, t.appId),
    /** Stacks, of which a bot takes one of each class. */
    index('items_stacks')
      .on(t.botId, t.appId, t.classId)
      .where(sql`amount > 1 and ${within(sql`state`, hereOrBack)}`),
    check('items_state', within(t.state, itemStates)),
  ],
);

/** Append-only: one row per change of holder. The ledger alone can rebuild every item's holder. */
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
