import { int, primaryKey, table, text } from '#db/dialect.ts';
import { assetFacts } from '#db/schema/asset.ts';
import { bots } from '#db/schema/bot.ts';

/** Tradable assets in a bot's inventory that belong to no item, as of the last complete reading of each game. */
export const unknownAssets = table(
  'unknown_assets',
  {
    botId: text('bot_id')
      .notNull()
      .references(() => bots.id),
    ...assetFacts(),
    firstSeenAtMs: int('first_seen_at_ms').notNull(),
    lastSeenAtMs: int('last_seen_at_ms').notNull(),
    /**
     * Time at which the operator declared it as their own: it is no longer reported and never taken for a
     * deposited one.
     */
    setAsideAtMs: int('set_aside_at_ms'),
  },
  (t) => [primaryKey({ columns: [t.botId, t.appId, t.assetId] })],
);
