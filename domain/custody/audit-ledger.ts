import { setImmediate as nextTurn } from 'node:timers/promises';
import { asc, gt, inArray } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { items, ledgerEntries } from '#db/schema/item.ts';
import { holderName } from '#domain/item/advance-item.ts';

/** An item whose holder differs from the one that its ledger entries lead to. */
export interface Drift {
  itemId: string;
  /** The holder in the item's row. */
  holder: string;
  /** The holder by the ledger; null if its entries form no path. */
  rebuilt: string | null;
}

const PAGE = 500;

/**
 * Rebuilds every item's holder from the ledger and compares it with the item's row, page by page. The order
 * of the entries does not matter, because two machines' clocks may differ: an item came to its present holder
 * once more often than it left it.
 */
export async function auditLedger(q: Reader): Promise<{ items: number; drifts: Drift[] }> {
  const drifts: Drift[] = [];
  let counted = 0;
  for (let after = ''; ; ) {
    const page = await q
      .select({ id: items.id, state: items.state, botId: items.botId })
      .from(items)
      .where(gt(items.id, after))
      .orderBy(asc(items.id))
      .limit(PAGE);
    // Without this, SQLite would let nothing else run between the pages.
    await nextTurn();
    const last = page.at(-1);
    if (!last) return { items: counted, drifts };
    after = last.id;
    counted += page.length;
    const entries = await entriesOf(
      q,
      page.map(({ id }) => id),
    );
    for (const { id: itemId, state, botId } of page) {
      const holder = holderName(state, botId);
      const rebuilt = holderFrom(entries.get(itemId) ?? []);
      if (rebuilt !== holder) drifts.push({ itemId, holder, rebuilt });
    }
  }
}

type Entry = Pick<typeof ledgerEntries.$inferSelect, 'itemId' | 'fromHolder' | 'toHolder'>;

async function entriesOf(q: Reader, itemIds: readonly string[]): Promise<Map<string, Entry[]>> {
  const rows = await q
    .select({
      itemId: ledgerEntries.itemId,
      fromHolder: ledgerEntries.fromHolder,
      toHolder: ledgerEntries.toHolder,
    })
    .from(ledgerEntries)
    .where(inArray(ledgerEntries.itemId, [...itemIds]));
  const byItem = new Map<string, Entry[]>();
  for (const row of rows) byItem.set(row.itemId, [...(byItem.get(row.itemId) ?? []), row]);
  return byItem;
}

type Step = Pick<Entry, 'fromHolder' | 'toHolder'>;

/** Returns how many more times an item came to each holder than it left it; it began outside. */
export function balanceOf(entries: readonly Step[]): Map<string, number> {
  const balance = new Map<string, number>([['outside', 1]]);
  for (const { fromHolder, toHolder } of entries) {
    balance.set(fromHolder, (balance.get(fromHolder) ?? 0) - 1);
    balance.set(toHolder, (balance.get(toHolder) ?? 0) + 1);
  }
  return balance;
}

/** Returns the holder that entries lead to from outside. */
export function holderFrom(entries: readonly Step[]): string | null {
  const uneven = [...balanceOf(entries)].filter(([, amount]) => amount !== 0);
  const [holder] = uneven;
  return uneven.length === 1 && holder?.[1] === 1 ? holder[0] : null;
}
