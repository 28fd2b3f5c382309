import { and, asc, count, eq, sql } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { is, within } from '#db/dialect.ts';
import { bots } from '#db/schema/bot.ts';
import { liveTransferStates, transferItems, transfers } from '#db/schema/transfer.ts';
import { isAlive } from '#domain/bot/record-heartbeat.ts';
import { shareOfRoom } from '#domain/budget/budgets.ts';
import { BOT_CAPACITY, heldByBot } from '#domain/transfer/deposit-room.ts';
import { MAX_ITEMS_PER_OFFER } from '#domain/transfer/offer-limits.ts';

/** A bot that takes deposits. */
export interface TakingBot {
  botId: string;
  /** Number of items it could still hold, if nothing under way arrived. */
  free: number;
  /** Number of items that deposits under way would bring, including those that only wait. */
  coming: number;
}

/** Lists the ready bots that are alive. */
export async function listTakingBots(q: Reader, systemMs: number): Promise<TakingBot[]> {
  const coming = sql<number>`(${q
    .select({ n: count() })
    .from(transfers)
    .innerJoin(transferItems, eq(transferItems.transferId, transfers.id))
    .where(
      and(
        eq(transfers.botId, bots.id),
        within(transfers.state, liveTransferStates),
        is(transfers.kind, 'deposit'),
      ),
    )})`.mapWith(Number);
  const rows = await q
    .select({ botId: bots.id, held: heldByBot(q), coming })
    .from(bots)
    .where(and(is(bots.state, 'ready'), isAlive(systemMs)))
    .orderBy(asc(bots.id));
  return rows.map(({ held, ...bot }) => ({ ...bot, free: BOT_CAPACITY - held }));
}

/**
 * Divides a deposit into offers, each no larger than one account's share of the bot's room, and each for the
 * bot that has the most left. Only held items count against a bot's room, because items under way may never
 * arrive, and a deposit waits until there is room. Null if the bots could not hold it all.
 */
export function spreadDeposit(
  size: number,
  takingBots: readonly TakingBot[],
): { botId: string; size: number }[] | null {
  const rooms = takingBots.map((bot) => ({ ...bot, taken: 0 }));
  const parts: { botId: string; size: number }[] = [];
  let left = size;
  while (left > 0) {
    const [room] = rooms
      .filter(({ free, taken }) => free > taken)
      .toSorted((one, other) => leftOf(other) - leftOf(one));
    if (!room) return null;
    const part = Math.min(left, MAX_ITEMS_PER_OFFER, shareOfRoom(room.free), room.free - room.taken);
    room.taken += part;
    left -= part;
    parts.push({ botId: room.botId, size: part });
  }
  return parts;
}

const leftOf = ({ free, coming, taken }: TakingBot & { taken: number }): number => free - coming - taken;
