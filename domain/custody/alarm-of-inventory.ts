import { and, count, eq, isNull, max, sql } from 'drizzle-orm';
import type { Tx } from '#db/database.ts';
import { custodyDrifts } from '#db/schema/custody-drift.ts';
import { items, ledgerEntries } from '#db/schema/item.ts';
import { alarms } from '#db/schema/outbox.ts';
import { unknownAssets } from '#db/schema/unknown-asset.ts';
import { missingFrom, PATIENCE_MS, unknownFor } from '#domain/custody/list-concerns.ts';
import { queueAlarm } from '#domain/outbox/alarm-operator.ts';
import type { InventoryConcern } from '#domain/outbox/queue-mail.ts';

/** How many there are, and when the newest began to concern the operator. */
interface Trouble {
  amount: number;
  newestMs: number;
}

/**
 * Queues a mail to the operator if items of this bot are missing, or assets in its inventory have belonged to nobody for
 * a while, that no earlier mail was about. At most one a day for each bot and concern: what is new within that day is
 * mailed by the first comparison after it, in the transaction of which this is called. Without an address nothing is
 * mailed.
 */
export async function alarmOfInventory(
  tx: Tx,
  {
    botId,
    concern,
    operatorEmail,
  }: { botId: string; concern: InventoryConcern; operatorEmail: string | null },
  nowMs: number,
): Promise<void> {
  if (operatorEmail === null) return;
  const { amount, newestMs } = await troubleOf[concern](tx, botId, nowMs);
  if (amount === 0) return;
  const key = `inventory of ${botId}: ${concern}`;
  const [last] = await tx.select({ mailedAtMs: alarms.mailedAtMs }).from(alarms).where(eq(alarms.key, key));
  if (last && newestMs <= last.mailedAtMs) return;
  const values = { bot: botId, concern, amount: String(amount) };
  const mail = { recipient: operatorEmail, locale: 'en', template: 'inventoryDiffers', values } as const;
  await queueAlarm(tx, { key, mail }, nowMs);
}

const troubleOf: Record<InventoryConcern, (tx: Tx, botId: string, nowMs: number) => Promise<Trouble>> = {
  missing: missingTrouble,
  unknown: unknownTrouble,
};

/** Without what an audit found: that has a mail of its own, and is looked up by item, as a join may start from all of it. */
async function missingTrouble(tx: Tx, botId: string): Promise<Trouble> {
  const drift = tx
    .select({ itemId: custodyDrifts.itemId })
    .from(custodyDrifts)
    .where(eq(custodyDrifts.itemId, items.id));
  const lost = tx
    .select({ sinceMs: max(ledgerEntries.atMs).as('since') })
    .from(items)
    .innerJoin(ledgerEntries, eq(ledgerEntries.itemId, items.id))
    .where(and(missingFrom(botId), isNull(sql`(${drift})`)))
    .groupBy(items.id)
    .as('lost');
  const [found] = await tx.select({ amount: count(), newestMs: max(lost.sinceMs) }).from(lost);
  return { amount: found?.amount ?? 0, newestMs: Number(found?.newestMs ?? 0) };
}

async function unknownTrouble(tx: Tx, botId: string, nowMs: number): Promise<Trouble> {
  const [found] = await tx
    .select({ amount: count(), firstSeenAtMs: max(unknownAssets.firstSeenAtMs) })
    .from(unknownAssets)
    .where(unknownFor(botId, nowMs));
  return { amount: found?.amount ?? 0, newestMs: Number(found?.firstSeenAtMs ?? 0) + PATIENCE_MS };
}
