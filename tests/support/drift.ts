import type { Database } from '#db/database.ts';
import { auditCustody } from '#domain/custody/audit-custody.ts';
import { recordLedgerEntry } from '#domain/item/advance-item.ts';
import { newId } from '#domain/kernel/id.ts';

/** The ledger of items in an offer leads elsewhere than their rows say, and the audit finds it. */
export async function driftOutgoing(db: Database, itemIds: readonly string[], nowMs: number) {
  await db.transaction(async (tx) => {
    for (const itemId of itemIds) {
      const entry = { id: newId(nowMs), itemId, cause: 'claim', transferId: null, atMs: nowMs };
      await recordLedgerEntry(tx, { ...entry, fromHolder: 'outgoing', toHolder: 'gone' });
    }
  });
  return auditCustody(db, { operatorEmail: null }, nowMs);
}
