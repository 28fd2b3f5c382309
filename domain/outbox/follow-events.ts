import type { Database } from '#db/database.ts';
import {
  firstIdAt,
  type LiveEvent,
  newestEventId,
  overlapBefore,
  readEvents,
} from '#domain/outbox/read-events.ts';
import { minute } from '#domain/time.ts';

const BATCH = 500;
/** After this long without news nothing older becomes visible any more: no transaction takes so long. System time. */
const SETTLED_MS = minute;
/** More ids than this are not remembered, however many come in the time that is read again: some 30 MB. */
const MAX_REMEMBERED = 200_000;

export interface EventFollower {
  /** Passes over everything that has happened until now. */
  begin(systemMs: number): Promise<void>;
  /** Hands over what has become visible since, each event once. */
  readOn(systemMs: number, hand: (event: LiveEvent) => void): Promise<void>;
}

/**
 * Reads the events of everyone as they become visible. Each reading begins a little before the last event, for what was
 * committed late, and passes over what it has seen: exactly the ids of the time that is read again are remembered. As
 * long as nothing was committed it reads nothing at all.
 */
export function followEvents(
  database: Database,
  { mostRemembered = MAX_REMEMBERED }: { mostRemembered?: number } = {},
): EventFollower {
  const seen = new Set<string>();
  let revision: string | null = null;
  let newestId: string | null = null;
  let newsAtMs = 0;
  /** Nothing up to here is read again. */
  let floorId = firstIdAt(0);

  const raiseFloor = (id: string): void => {
    if (id <= floorId) return;
    floorId = id;
    for (const known of seen) if (known <= id) seen.delete(known);
  };

  const forget = (systemMs: number): void => {
    if (newestId === null) return;
    raiseFloor(systemMs - newsAtMs > SETTLED_MS ? newestId : overlapBefore(newestId));
    if (seen.size <= mostRemembered) return;
    // A flood: what is committed late, so far back in it, is passed over. Nothing is told twice.
    const latest = [...seen].sort();
    raiseFloor(latest[latest.length - mostRemembered - 1] ?? newestId);
  };

  const readOn: EventFollower['readOn'] = async (systemMs, hand) => {
    const current = await database.revision();
    if (current === revision) return;
    for (let afterId = floorId; ; ) {
      const batch = await readEvents(database, { afterId, most: BATCH });
      for (const event of batch) {
        if (seen.has(event.id)) continue;
        seen.add(event.id);
        newsAtMs = systemMs;
        if (newestId === null || event.id > newestId) newestId = event.id;
        hand(event);
      }
      const last = batch.at(-1);
      if (batch.length < BATCH || !last) break;
      afterId = last.id;
    }
    forget(systemMs);
    revision = current;
  };

  return {
    async begin(systemMs) {
      seen.clear();
      revision = null;
      newestId = await newestEventId(database);
      floorId = newestId === null ? firstIdAt(0) : overlapBefore(newestId);
      newsAtMs = systemMs;
      await readOn(systemMs, () => {});
    },
    readOn,
  };
}
