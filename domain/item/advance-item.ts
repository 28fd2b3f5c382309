import { eq, sql } from 'drizzle-orm';
import type { Tx } from '#db/database.ts';
import { custodyDrifts } from '#db/schema/custody-drift.ts';
import { items, ledgerEntries } from '#db/schema/item.ts';
import { statement } from '#db/statement.ts';
import { insertInto, moveIn } from '#db/write.ts';
import { type ItemEvent, itemMachine } from '#domain/item/item-machine.ts';
import { newId } from '#domain/kernel/id.ts';

const readItem = statement('item_state', (tx) =>
  tx
    .select({ id: items.id, state: items.state, botId: items.botId })
    .from(items)
    .where(eq(items.id, sql.placeholder('id'))),
);
const readDrift = statement('item_drift', (tx) =>
  tx
    .select({ itemId: custodyDrifts.itemId })
    .from(custodyDrifts)
    .where(eq(custodyDrifts.itemId, sql.placeholder('id'))),
);
type LoadedItem = Pick<typeof items.$inferSelect, 'id' | 'state' | 'botId'>;
const moveItem = moveIn(items, 'item');
export const recordLedgerEntry = insertInto(ledgerEntries, 'ledger_entry');

export interface ItemStep {
  event: ItemEvent;
  /** The kind of transfer or check that moved it. */
  cause: string;
  transferId?: string;
  /** Values that change with the holder: asset id, context and lock. */
  patch?: Partial<Pick<typeof items.$inferSelect, 'assetId' | 'contextId' | 'lockedUntilMs'>>;
}

/**
 * Applies an event to an item and records the change of holder in the ledger. The only writer of `items.state`.
 * Returns false when the event is not allowed in the current state.
 */
export async function advanceItem(tx: Tx, itemId: string, step: ItemStep, nowMs: number): Promise<boolean> {
  const [item] = await readItem(tx, { id: itemId });
  return item ? advanceLoadedItem(tx, item, step, nowMs) : false;
}

/** Like `advanceItem`, for an item already read in this transaction. */
export async function advanceLoadedItem(
  tx: Tx,
  item: LoadedItem,
  step: ItemStep,
  nowMs: number,
): Promise<boolean> {
  const state = itemMachine.next(item.state, await eventFor(tx, item, step.event));
  if (!state || !(await moveItem(tx, item, { ...step.patch, state }))) return false;
  await recordLedgerEntry(tx, {
    id: newId(nowMs),
    itemId: item.id,
    fromHolder: holderName(item.state, item.botId),
    toHolder: holderName(state, item.botId),
    cause: step.cause,
    transferId: step.transferId ?? null,
    atMs: nowMs,
  });
  return true;
}

/**
 * An item that an offer gives back becomes missing while an audit's finding about it is open, so that it
 * cannot be promised.
 */
async function eventFor(tx: Tx, { id }: LoadedItem, event: ItemEvent): Promise<ItemEvent> {
  if (event !== 'offerEnded') return event;
  const [drift] = await readDrift(tx, { id });
  return drift ? 'lost' : event;
}

/** The holder's name in the ledger: the state, plus the bot while we hold the item. */
export const holderName = (state: string, botId: string): string =>
  state === 'held' ? `held:${botId}` : state;
