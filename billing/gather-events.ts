import type { Database } from '#db/database.ts';
import { type ReceivedEvent, receiveEvents } from '#domain/subscription/event-inbox.ts';

/** An event waits this long for others that arrive with it. System time. */
const GATHER_MS = 3;

type Waiting = { event: ReceivedEvent; stored: (isNew: boolean) => void; failed: (error: unknown) => void };

const gathered = new WeakMap<Database, Waiting[]>();

/**
 * Stores an event together with those that arrive at about the same time, because each commit waits for the disk.
 * Settles when the event is committed: true if it was not received before. If the commit fails, it fails for all of
 * them, and Stripe sends them again.
 */
export function gatherEvent(db: Database, event: ReceivedEvent): Promise<boolean> {
  const waiting = gathered.get(db) ?? [];
  if (waiting.length === 0) {
    gathered.set(db, waiting);
    setTimeout(() => {
      gathered.delete(db);
      void storeAll(db, waiting);
    }, GATHER_MS);
  }
  return new Promise((stored, failed) => {
    waiting.push({ event, stored, failed });
  });
}

async function storeAll(db: Database, waiting: readonly Waiting[]): Promise<void> {
  try {
    const events = [...new Map(waiting.map(({ event }) => [event.id, event])).values()];
    const fresh = await receiveEvents(db, events, Date.now());
    // If an event was delivered twice at once, only the first counts as new.
    for (const { event, stored } of waiting) stored(fresh.delete(event.id));
  } catch (error) {
    for (const { failed } of waiting) failed(error);
  }
}
