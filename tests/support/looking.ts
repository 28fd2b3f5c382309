import { asc, eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { items, ledgerEntries } from '#db/schema/item.ts';
import { rewards } from '#db/schema/reward.ts';
import { transferItems, transferSteps, transfers } from '#db/schema/transfer.ts';
import { asOwned } from '#domain/kernel/owned.ts';
import type { OwnedRule } from '#domain/rule/find-rule.ts';

/** A transfer's row. */
export async function transferOf(db: Database, id: string) {
  const [transfer] = await db.read.select().from(transfers).where(eq(transfers.id, id));
  if (!transfer) throw new Error(`there is no transfer ${id}`);
  return transfer;
}

/** The events of a transfer, in order. */
export async function stepsOf(db: Database, transferId: string): Promise<string[]> {
  const steps = await db.read
    .select({ event: transferSteps.event })
    .from(transferSteps)
    .where(eq(transferSteps.transferId, transferId))
    .orderBy(asc(transferSteps.id));
  return steps.map(({ event }) => event);
}

export const assetsIn = (db: Database, transferId: string) =>
  db.read
    .select()
    .from(transferItems)
    .where(eq(transferItems.transferId, transferId))
    .orderBy(asc(transferItems.appId), asc(transferItems.assetId));

/** A streamer's items, oldest first. */
export const itemsOf = (db: Database, ownerId: string) =>
  db.read.select().from(items).where(eq(items.ownerId, ownerId)).orderBy(asc(items.id));

export const ledgerOf = (db: Database, itemId: string) =>
  db.read.select().from(ledgerEntries).where(eq(ledgerEntries.itemId, itemId)).orderBy(asc(ledgerEntries.id));

/** A rule's rewards, in the order in which they were attached. */
export const rewardsOf = (db: Database, ruleId: string) =>
  db.read.select().from(rewards).where(eq(rewards.ruleId, ruleId)).orderBy(asc(rewards.position));

/** A rule as a query finds it that was restricted to its owner. */
export const owned = (ruleId: string): OwnedRule => asOwned({ id: ruleId });
