import { and, count, eq, isNull, max, sql } from 'drizzle-orm';
import type { Tx } from '#db/database.ts';
import { custodyDrifts } from '#db/schema/custody-drift.ts';
import { items, ledgerEntries } from '#db/schema/item.ts';
import { alarms } from '#db/schema/outbox.ts';
import { unknownAssets } from '#db/schema/unknown-asset.ts';
import { missingFrom, PATIENCE_MS, unknownFor } from '#domain/custody/list-concerns.ts';
import { queueAlarm } from '#domain/outbox/alarm-operator.ts';
import type { InventoryConcern } from '#domain/outbox/queue-mail.ts';

/** The number of items or assets, and the time since when the newest concerns the operator. */
interface Trouble {
  amount: number;
  newestMs: number;
}

/**
 * Queues a mail to the operator about missing items of this bot, or about assets in its inventory that have
 * belonged to nobody for a while, if no earlier mail was about them. At most one a day for each bot and
 * concern; the first comparison after that day mails what came meanwhile. Runs in the transaction of the
 * comparison. Without an address nothing is mailed.
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

/**
 * Leaves out what an audit found, which has a mail of its own. Looked up by item, because a join may start
 * from all audit findings.
 */
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
