import { HELD_MS } from '#bot/leases.ts';
import type { Slots } from '#bot/slots.ts';
import type { Database } from '#db/database.ts';
import { SLOTS, slotOf } from '#domain/bot/take-slots.ts';
import { heldLease } from '#tests/support/leases.ts';

/** The slots of a process that is alone; what it writes requires no lease of them. */
export const everySlot = (db: Database): Slots => ({
  leaseOf: (channelId) => heldLease(db, { name: slotOf(channelId) }),
  leftMs: () => HELD_MS,
  databaseFor: () => db,
  areAllHere: () => true,
  count: () => SLOTS,
  areElsewhere: () => false,
});
