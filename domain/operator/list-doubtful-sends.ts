import { and, asc, eq } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { bots } from '#db/schema/bot.ts';
import { type TransferKind, transferItems, transfers } from '#db/schema/transfer.ts';
import { users } from '#db/schema/user.ts';
import { marketNameIn } from '#domain/item/market-name.ts';
import { underWay } from '#domain/transfer/under-way.ts';

/** At most this many per bot are listed; the rest are only counted elsewhere. */
const MAX_LISTED = 10;

/** An offer that may or may not exist, because Steam's answer to sending it was lost. */
export interface DoubtfulSend {
  transferId: string;
  kind: TransferKind;
  botId: string;
  /** Name of the account that requested it. */
  name: string;
  securityCode: string;
  /** Number of complete searches that did not find it. */
  looks: number;
  /** Time of the next search. Domain time. */
  nextLookAtMs: number;
  items: string[];
}

/** Lists each bot's oldest offers that are searched for on Steam before they are sent again. */
export async function listDoubtfulSends(q: Reader): Promise<DoubtfulSend[]> {
  const listed: DoubtfulSend[] = [];
  for (const { botId } of await q.select({ botId: bots.id }).from(bots).orderBy(asc(bots.id)))
    for (const row of await doubtfulOf(q, botId)) {
      const names = await q
        .select({ name: marketNameIn(transferItems) })
        .from(transferItems)
        .where(eq(transferItems.transferId, row.transferId))
        .orderBy(asc(transferItems.assetId));
      listed.push({ ...row, items: names.map(({ name }) => name) });
    }
  return listed;
}

/** Selects by bot, because the index of transfers under way begins with it. */
const doubtfulOf = (q: Reader, botId: string) =>
  q
    .select({
      transferId: transfers.id,
      kind: transfers.kind,
      botId: transfers.botId,
      name: users.name,
      securityCode: transfers.securityCode,
      looks: transfers.cleanPolls,
      nextLookAtMs: transfers.runAtMs,
    })
    .from(transfers)
    .innerJoin(users, eq(users.id, transfers.userId))
    .where(and(eq(transfers.botId, botId), underWay(['uncertain'])))
    .orderBy(asc(transfers.id))
    .limit(MAX_LISTED);
