import { and, asc, count, eq, sql } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { is, within } from '#db/dialect.ts';
import { bots } from '#db/schema/bot.ts';
import { inCustody, items } from '#db/schema/item.ts';
import { liveTransferStates, transferItems, transfers } from '#db/schema/transfer.ts';
import { isAlive } from '#domain/bot/record-heartbeat.ts';

/** Steam holds about 1,000 CS2 items in an inventory; a full one makes trades fail. */
export const BOT_CAPACITY = 900;

/**
 * Returns the ready bot that is alive and has the most free capacity, counting open deposits, or null if none can take
 * `needed` more items.
 */
export async function chooseBot(q: Reader, needed: number, systemMs: number): Promise<string | null> {
  const held = sql`(${q
    .select({ n: count() })
    .from(items)
    .where(and(eq(items.botId, bots.id), within(items.state, inCustody)))})`;
  const coming = sql`(${q
    .select({ n: count() })
    .from(transfers)
    .innerJoin(transferItems, eq(transferItems.transferId, transfers.id))
    .where(
      and(
        eq(transfers.botId, bots.id),
        within(transfers.state, liveTransferStates),
        is(transfers.kind, 'deposit'),
      ),
    )})`;
  const [roomiest] = await q
    .select({ id: bots.id, load: sql<number>`${held} + ${coming}`.mapWith(Number).as('load') })
    .from(bots)
    .where(and(is(bots.state, 'ready'), isAlive(systemMs)))
    .orderBy(sql`load`, asc(bots.id))
    .limit(1);
  return roomiest && roomiest.load + needed <= BOT_CAPACITY ? roomiest.id : null;
}
