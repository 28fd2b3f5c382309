import { and, asc, count, eq } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { within } from '#db/dialect.ts';
import { type BotState, bots } from '#db/schema/bot.ts';
import { inCustody, items } from '#db/schema/item.ts';
import { transfers } from '#db/schema/transfer.ts';
import { outstandingStates } from '#domain/transfer/open-offers.ts';
import { underWay } from '#domain/transfer/under-way.ts';

/** A trade bot as its operator looks after it. */
export interface ListedBot {
  id: string;
  steamId: string | null;
  state: BotState;
  /** Why it is not logged on, as a code. */
  fault: string | null;
  /** How many offers count among the account's outstanding ones on Steam. */
  openOffers: number;
  /** How many items in its inventory are ours to look after. */
  items: number;
  /** System time; 0 before the first. */
  heartbeatAtMs: number;
}

/** Lists all bots by name, with what is under way and in custody now; what has ended is not read. */
export async function listBots(q: Reader): Promise<ListedBot[]> {
  const { id, steamId, state, fault, heartbeatAtMs } = bots;
  const rows = await q.select({ id, steamId, state, fault, heartbeatAtMs }).from(bots).orderBy(asc(bots.id));
  const listed: ListedBot[] = [];
  for (const bot of rows) {
    const [open] = await q
      .select({ offers: count() })
      .from(transfers)
      .where(and(eq(transfers.botId, bot.id), underWay(outstandingStates)));
    const held = await q.$count(items, and(eq(items.botId, bot.id), within(items.state, inCustody)));
    listed.push({ ...bot, openOffers: open?.offers ?? 0, items: held });
  }
  return listed;
}
