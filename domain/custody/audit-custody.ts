import { asc, eq, inArray } from 'drizzle-orm';
import type { Database, Reader, Tx } from '#db/database.ts';
import { custodyDrifts } from '#db/schema/custody-drift.ts';
import { items, ledgerEntries } from '#db/schema/item.ts';
import { auditLedger, type Drift, holderFrom } from '#domain/custody/audit-ledger.ts';
import { advanceItem, holderName } from '#domain/item/advance-item.ts';
import { botLock } from '#domain/kernel/locks.ts';
import { announce } from '#domain/outbox/announce.ts';
import { queueMail } from '#domain/outbox/queue-mail.ts';
import { holdBackItem } from '#domain/transfer/hold-back.ts';

/** At most this many differences are stored in one transaction. */
const SET = 100;
type ConfirmedDrift = Drift & { isNew: boolean };

/**
 * Compares every item with the ledger. An item that differs is recorded, and if a bot holds it, it becomes
 * missing, so that it is neither promised nor sent until an operator has resolved the difference. A queued
 * transfer with such an item is held back. The operator gets one mail for up to a hundred newly found items
 * of a bot, stored together with the findings. Returns how many items were compared and which differ.
 */
export async function auditCustody(
  db: Database,
  { operatorEmail }: { operatorEmail: string | null },
  nowMs: number,
): Promise<{ items: number; drifts: Drift[]; found: number }> {
  const { items: compared, drifts: suspected } = await auditLedger(db.read);
  const drifts: Drift[] = [];
  let found = 0;
  for (let from = 0; from < suspected.length; from += SET) {
    const itemIds = suspected.slice(from, from + SET).map(({ itemId }) => itemId);
    for (const [botId, ofBot] of await byBot(db.read, itemIds)) {
      const confirmed = await db.transaction(
        (tx) => confirmDrifts(tx, { itemIds: ofBot, operatorEmail }, nowMs),
        // Settling a difference holds this lock too; without it, one that has just been settled would be
        // found again.
        { lock: botLock(botId) },
      );
      drifts.push(...confirmed);
      found += confirmed.filter(({ isNew }) => isNew).length;
    }
  }
  return {
    items: compared,
    drifts: drifts.map(({ itemId, holder, rebuilt }) => ({ itemId, holder, rebuilt })),
    found,
  };
}

/** Groups these items by the bot that holds or held them, which never changes. */
async function byBot(q: Reader, itemIds: readonly string[]): Promise<Map<string, string[]>> {
  const rows = await q
    .select({ id: items.id, botId: items.botId })
    .from(items)
    .where(inArray(items.id, [...itemIds]))
    .orderBy(asc(items.id));
  const ids = new Map<string, string[]>();
  for (const { id, botId } of rows) ids.set(botId, [...(ids.get(botId) ?? []), id]);
  return ids;
}

async function confirmDrifts(
  tx: Tx,
  { itemIds, operatorEmail }: { itemIds: readonly string[]; operatorEmail: string | null },
  nowMs: number,
): Promise<ConfirmedDrift[]> {
  const confirmed: ConfirmedDrift[] = [];
  for (const itemId of itemIds) {
    const drift = await confirmDrift(tx, itemId, nowMs);
    if (drift) confirmed.push(drift);
  }
  const added = confirmed.filter(({ isNew }) => isNew).length;
  const values = { items: String(added) };
  if (added > 0 && operatorEmail !== null)
    await queueMail(tx, { recipient: operatorEmail, locale: 'en', template: 'custodyDrift', values }, nowMs);
  return confirmed;
}

/** Reads item and ledger at one moment, because the item may have moved while the pages were read. */
async function confirmDrift(tx: Tx, itemId: string, nowMs: number): Promise<ConfirmedDrift | null> {
  const rows = await tx
    .select({
      state: items.state,
      botId: items.botId,
      ownerId: items.ownerId,
      fromHolder: ledgerEntries.fromHolder,
      toHolder: ledgerEntries.toHolder,
    })
    .from(items)
    .leftJoin(ledgerEntries, eq(ledgerEntries.itemId, items.id))
    .where(eq(items.id, itemId));
  const [item] = rows;
  if (!item) return null;
  const holder = holderName(item.state, item.botId);
  const rebuilt = holderFrom(
    rows.flatMap(({ fromHolder, toHolder }) =>
      fromHolder !== null && toHolder !== null ? [{ fromHolder, toHolder }] : [],
    ),
  );
  if (rebuilt === holder) return null;
  const recorded = await tx
    .insert(custodyDrifts)
    .values({ itemId, holder, rebuilt, foundAtMs: nowMs })
    .onConflictDoNothing()
    .returning({ itemId: custodyDrifts.itemId });
  if (item.state === 'held' && (await advanceItem(tx, itemId, { event: 'lost', cause: 'audit' }, nowMs)))
    await announce(tx, [{ userId: item.ownerId, kind: 'items.changed', subjectId: itemId }], nowMs);
  await holdBackItem(tx, itemId, nowMs);
  return { itemId, holder, rebuilt, isNew: recorded.length > 0 };
}

/** Returns those of these items that an audit found to differ from the ledger. */
export async function listDrifted(tx: Tx, itemIds: readonly string[]): Promise<Set<string>> {
  if (itemIds.length === 0) return new Set();
  const rows = await tx
    .select({ itemId: custodyDrifts.itemId })
    .from(custodyDrifts)
    .where(inArray(custodyDrifts.itemId, [...itemIds]));
  return new Set(rows.map(({ itemId }) => itemId));
}
