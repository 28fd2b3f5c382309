import { and, asc, count, eq, gt, sql } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { is, within } from '#db/dialect.ts';
import { bots } from '#db/schema/bot.ts';
import { inCustody, items } from '#db/schema/item.ts';
import { liveTransferStates, transferItems, transfers } from '#db/schema/transfer.ts';

/** Steam holds about 1,000 CS2 items in an inventory; a full one makes trades fail. */
export const BOT_CAPACITY = 900;
/** A bot that gave no sign of life for this long is not asked to take a deposit. System time. */
const SILENT_AFTER_MS = 60_000;

/** The ready bot with most room for `needed` more items, deposits under way counted in; null when none has it. */
export async function chooseBot(q: Reader, needed: number, systemMs: number): Promise<string | null> {
  const held = q
    .select({ botId: items.botId, n: count().as('held_count') })
    .from(items)
    .where(within(items.state, inCustody))
    .groupBy(items.botId)
    .as('held');
  const coming = q
    .select({ botId: transfers.botId, n: count().as('coming_count') })
    .from(transferItems)
    .innerJoin(transfers, eq(transfers.id, transferItems.transferId))
    .where(and(eq(transfers.kind, 'deposit'), within(transfers.state, liveTransferStates)))
    .groupBy(transfers.botId)
    .as('coming');
  const load = sql<number>`coalesce(${held.n}, 0) + coalesce(${coming.n}, 0)`;
  const [roomiest] = await q
    .select({ id: bots.id, load: load.mapWith(Number) })
    .from(bots)
    .leftJoin(held, eq(held.botId, bots.id))
    .leftJoin(coming, eq(coming.botId, bots.id))
    .where(and(is(bots.state, 'ready'), gt(bots.heartbeatAtMs, systemMs - SILENT_AFTER_MS)))
    .orderBy(asc(load), asc(bots.id))
    .limit(1);
  return roomiest && roomiest.load + needed <= BOT_CAPACITY ? roomiest.id : null;
}
