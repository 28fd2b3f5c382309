import { and, asc, desc, eq, isNotNull, sql } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { is, isAmong, within } from '#db/dialect.ts';
import { steamAccounts } from '#db/schema/account.ts';
import { bots } from '#db/schema/bot.ts';
import { channels } from '#db/schema/channel.ts';
import { rewards } from '#db/schema/reward.ts';
import { rules } from '#db/schema/rule.ts';
import { liveTransferStates, type TransferKind, transferItems, transfers } from '#db/schema/transfer.ts';
import { statement } from '#db/statement.ts';

/**
 * An item of an offer, under the id that it has until the exchange. Its context is left out: Trade Protection changes that,
 * and not the id.
 */
export interface OfferedItem {
  appId: number;
  assetId: string;
  amount: number;
  name: string;
}

/** An offer that waits on Steam for its receiver. */
export interface OwnOffer {
  transferId: string;
  kind: TransferKind;
  offerId: string;
  securityCode: string;
  bot: { name: string; steamId: string };
  /** The Steam account that it was sent to, whichever is connected now. */
  partnerSteamId: string;
  ruleName: string | null;
  channelName: string | null;
  cancelAtMs: number | null;
  items: OfferedItem[];
}

export interface OwnOffers {
  /** The Steam account that is connected now; null if none is. */
  steamId: string | null;
  bots: { name: string; profileName: string; steamId: string }[];
  offers: OwnOffer[];
}

const readOffers = statement('own_offers', (q) =>
  q
    .select({
      transferId: transfers.id,
      kind: transfers.kind,
      offerId: transfers.offerId,
      securityCode: transfers.securityCode,
      botName: bots.id,
      botSteamId: bots.steamId,
      partnerSteamId: transfers.partnerSteamId,
      ruleName: rules.name,
      channelName: channels.displayName,
      cancelAtMs: transfers.cancelAtMs,
    })
    .from(transfers)
    .innerJoin(bots, eq(bots.id, transfers.botId))
    .leftJoin(rewards, eq(rewards.id, transfers.rewardId))
    .leftJoin(rules, eq(rules.id, rewards.ruleId))
    .leftJoin(channels, eq(channels.id, rules.channelId))
    .where(
      and(
        eq(transfers.userId, sql.placeholder('userId')),
        // Names all live states, though the query is about one, because SQLite uses the index of live
        // transfers only then.
        within(transfers.state, liveTransferStates),
        is(transfers.state, 'sent'),
      ),
    )
    .orderBy(desc(transfers.id)),
);

const readItems = statement('own_offers_items', (q) =>
  q
    .select({
      transferId: transferItems.transferId,
      appId: transferItems.appId,
      assetId: transferItems.assetId,
      amount: transferItems.amount,
      name: transferItems.name,
    })
    .from(transferItems)
    .where(isAmong(transferItems.transferId, sql.placeholder('ids')))
    .orderBy(asc(transferItems.transferId), asc(transferItems.appId), asc(transferItems.assetId)),
);

const readSteam = statement('own_steam_account', (q) =>
  q
    .select({ steamId: steamAccounts.steamId })
    .from(steamAccounts)
    .where(eq(steamAccounts.userId, sql.placeholder('userId'))),
);

const readBots = statement('bots_on_steam', (q) =>
  q
    .select({ name: bots.id, profileName: bots.profileName, steamId: bots.steamId })
    .from(bots)
    .where(isNotNull(bots.steamId))
    .orderBy(asc(bots.id)),
);

/**
 * Returns a person's offers that they can answer on Steam now, with what has to be the same on Steam's page of each. How many
 * there are is limited by how many a bot may have open to one partner.
 */
export async function listOwnOffers({ read }: Database, asked: { userId: string }): Promise<OwnOffers> {
  const [rows, linked, all] = [
    await readOffers(read, asked),
    await readSteam(read, asked),
    await readBots(read, {}),
  ];
  const ids = JSON.stringify(rows.map(({ transferId }) => transferId));
  const items = rows.length === 0 ? [] : await readItems(read, { ids });
  return {
    steamId: linked[0]?.steamId ?? null,
    bots: all.flatMap(({ steamId, ...bot }) => (steamId === null ? [] : [{ ...bot, steamId }])),
    offers: rows.flatMap(({ offerId, botName, botSteamId, ...row }) => {
      if (offerId === null || botSteamId === null) return [];
      const own = items.filter(({ transferId }) => transferId === row.transferId);
      const named = own.map(({ transferId: _, ...item }) => item);
      return [{ ...row, offerId, bot: { name: botName, steamId: botSteamId }, items: named }];
    }),
  };
}
