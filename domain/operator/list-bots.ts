import { and, asc, count, eq, min } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { within } from '#db/dialect.ts';
import { type BotState, bots } from '#db/schema/bot.ts';
import { inCustody, items } from '#db/schema/item.ts';
import { liveTransferStates, type TransferState, transfers } from '#db/schema/transfer.ts';
import { listUsedBots } from '#domain/bot/list-used-bots.ts';
import { outstandingStates } from '#domain/transfer/open-offers.ts';
import { underWay } from '#domain/transfer/under-way.ts';

/** A trade bot as shown to its operator. */
export interface ListedBot {
  id: string;
  steamId: string | null;
  state: BotState;
  /** The reason why it is not logged on, as a code. */
  fault: string | null;
  /** Number of transfers under way. */
  transfers: number;
  /** Number of their offers that count among the account's outstanding ones on Steam. */
  openOffers: number;
  /**
   * Time at which it next tries to send, if Steam does not let the account trade; null if there is no sign of
   * that. Steam does not say how long that lasts. Domain time.
   */
  restrictedUntilMs: number | null;
  /** Steam's own words when it last refused the bot's offers, and how many in a row; null if it takes them. */
  refusedWith: string | null;
  refusals: number;
  /** Number of items in its inventory that are in our custody. */
  items: number;
  /** System time; 0 before the first. */
  heartbeatAtMs: number;
  /** A process uses its account now. */
  isUsed: boolean;
}

/** Lists all bots by name, with what is under way and in custody now; ended transfers are not read. */
export async function listBots(q: Reader): Promise<ListedBot[]> {
  const { id, steamId, state, fault, heartbeatAtMs, refusedWith, refusals } = bots;
  const used = await listUsedBots(q);
  const rows = await q
    .select({ id, steamId, state, fault, heartbeatAtMs, refusedWith, refusals })
    .from(bots)
    .orderBy(asc(bots.id));
  const listed: ListedBot[] = [];
  for (const bot of rows) {
    const live = await q
      .select({ state: transfers.state, transfers: count() })
      .from(transfers)
      .where(and(eq(transfers.botId, bot.id), underWay(liveTransferStates)))
      .groupBy(transfers.state);
    const held = await q.$count(items, and(eq(items.botId, bot.id), within(items.state, inCustody)));
    const [refused] = await q
      .select({ againAtMs: min(transfers.runAtMs) })
      .from(transfers)
      .where(
        and(eq(transfers.botId, bot.id), underWay(['queued']), eq(transfers.lastError, 'botRestricted')),
      );
    const againAtMs = refused?.againAtMs;
    const among = (states: readonly TransferState[]) =>
      live.reduce((sum, each) => sum + (states.includes(each.state) ? each.transfers : 0), 0);
    listed.push({
      ...bot,
      isUsed: used.includes(bot.id),
      transfers: among(liveTransferStates),
      openOffers: among(outstandingStates),
      restrictedUntilMs: againAtMs == null ? null : Number(againAtMs),
      items: held,
    });
  }
  return listed;
}
