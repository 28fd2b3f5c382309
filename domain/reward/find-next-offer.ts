import { and, eq, max, sql } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { bots } from '#db/schema/bot.ts';
import { items } from '#db/schema/item.ts';
import { rewards } from '#db/schema/reward.ts';
import { transfers } from '#db/schema/transfer.ts';
import { statement } from '#db/statement.ts';
import { shownBotName } from '#domain/bot/shown-bot-name.ts';

/** A bot as its partner sees it on Steam, and its record. */
export interface OfferingBot {
  name: string;
  steamId: string | null;
  /** Empty until Steam's profile is read. */
  pictureUrl: string;
  level: number | null;
  sinceMs: number | null;
  /** Null until it was counted. */
  record: { delivered: number; reversed: number } | null;
}

/** The facts about a reward's next offer that are known before it is claimed. */
export interface NextOffer {
  /** The bot that holds the item and will send it. */
  bot: OfferingBot;
  botId: string;
  /** The reward's latest transfer; null before its first claim. */
  lastTransferId: string | null;
}

const readNextOffer = statement('next_offer', (q) =>
  q
    .select({
      botId: bots.id,
      profileName: bots.profileName,
      steamId: bots.steamId,
      pictureUrl: bots.pictureUrl,
      level: bots.steamLevel,
      sinceMs: bots.steamSinceMs,
      delivered: bots.delivered,
      reversed: bots.reversed,
      profileReadAtMs: bots.profileReadAtMs,
      lastTransferId: sql<string | null>`(${q
        .select({ id: max(transfers.id) })
        .from(transfers)
        .where(eq(transfers.rewardId, rewards.id))})`,
    })
    .from(rewards)
    .innerJoin(items, eq(items.id, rewards.itemId))
    .innerJoin(bots, eq(bots.id, items.botId))
    .where(and(eq(rewards.id, sql.placeholder('rewardId')), eq(rewards.userId, sql.placeholder('userId')))),
);

/** Finds the bot that will send one of the viewer's own rewards; null if the reward is not theirs. */
export async function findNextOffer(
  { read }: Database,
  asked: { rewardId: string; userId: string },
): Promise<NextOffer | null> {
  const [offer] = await readNextOffer(read, asked);
  if (!offer) return null;
  const { lastTransferId, botId, profileName, profileReadAtMs, delivered, reversed, ...shown } = offer;
  const record = profileReadAtMs === null ? null : { delivered, reversed };
  return {
    lastTransferId,
    botId,
    bot: { ...shown, name: shownBotName({ name: botId, profileName }), record },
  };
}
