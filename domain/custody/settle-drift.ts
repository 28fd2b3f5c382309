import { eq } from 'drizzle-orm';
import type { Database, Tx } from '#db/database.ts';
import { custodyDrifts } from '#db/schema/custody-drift.ts';
import { items, ledgerEntries } from '#db/schema/item.ts';
import { balanceOf } from '#domain/custody/audit-ledger.ts';
import { type CustodyChange, rehearsable } from '#domain/custody/rehearse.ts';
import { holderName, recordLedgerEntry } from '#domain/item/advance-item.ts';
import { newId } from '#domain/kernel/id.ts';
import { botLock } from '#domain/kernel/locks.ts';
import { done, type Outcome, refuse } from '#domain/kernel/outcome.ts';
import { resumeTransfer } from '#domain/transfer/hold-back.ts';

export type SettleRefusal = 'noDrift';

/**
 * Ends the difference between an item and the ledger by the operator's decision that the item's row is right:
 * entries that name the operator lead from where the ledger ended to the item's holder. A missing item is
 * looked for again, and a transfer that waited for this goes on.
 */
export async function settleDrift(
  db: Database,
  { itemId, isRehearsal = false }: { itemId: string; isRehearsal?: boolean },
  nowMs: number,
): Promise<Outcome<{ changes: CustodyChange[] }, SettleRefusal>> {
  type Answer = Outcome<{ changes: CustodyChange[] }, SettleRefusal>;
  const [item] = await db.read.select({ botId: items.botId }).from(items).where(eq(items.id, itemId));
  if (!item) return refuse('noDrift');
  return rehearsable<Answer>(isRehearsal, (finish) =>
    db.transaction(
      async (tx) => {
        const [ended] = await tx
          .delete(custodyDrifts)
          .where(eq(custodyDrifts.itemId, itemId))
          .returning({ foundAtMs: custodyDrifts.foundAtMs });
        if (!ended) return refuse('noDrift');
        await resumeTransfer(tx, { itemId, sinceMs: ended.foundAtMs }, nowMs);
        return finish(done({ changes: await correct(tx, itemId, nowMs) }));
      },
      { lock: botLock(item.botId) },
    ),
  );
}

async function correct(tx: Tx, itemId: string, nowMs: number): Promise<CustodyChange[]> {
  const [item] = await tx
    .select({ state: items.state, botId: items.botId })
    .from(items)
    .where(eq(items.id, itemId));
  if (!item) return [];
  const entries = await tx.select().from(ledgerEntries).where(eq(ledgerEntries.itemId, itemId));
  const balance = balanceOf(entries);
  const holder = holderName(item.state, item.botId);
  balance.set(holder, (balance.get(holder) ?? 0) - 1);
  const sources = [...balance].flatMap(([name, amount]) => Array<string>(Math.max(amount, 0)).fill(name));
  const targets = [...balance].flatMap(([name, amount]) => Array<string>(Math.max(-amount, 0)).fill(name));
  const changes: CustodyChange[] = [];
  for (const [place, fromHolder] of sources.entries()) {
    const toHolder = targets[place] ?? holder;
    await recordLedgerEntry(tx, {
      id: newId(nowMs),
      itemId,
      fromHolder,
      toHolder,
      cause: 'operator',
      transferId: null,
      atMs: nowMs,
    });
    changes.push({ subject: 'item', id: itemId, from: `${fromHolder} in the ledger`, to: toHolder });
  }
  return changes;
}
