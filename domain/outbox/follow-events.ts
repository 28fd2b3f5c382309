import type { Database } from '#db/database.ts';
import { minute } from '#domain/kernel/time.ts';
import {
  countEvents,
  firstIdAt,
  type LiveEvent,
  newestEventId,
  overlapBefore,
  readEvents,
} from '#domain/outbox/read-events.ts';

const BATCH = 500;
/**
 * After this long without events, no older one can still become visible: no transaction runs this long. System time.
 */
const SETTLED_MS = minute;
/** Upper bound on the ids kept in memory (about 30 MB), however many events the overlap contains. */
const MAX_REMEMBERED = 200_000;

export interface EventFollower {
  /** Skips everything that has happened so far. */
  begin(systemMs: number): Promise<void>;
  /** Passes each newly visible event to `hand`, exactly once. */
  readOn(systemMs: number, hand: (event: LiveEvent) => void): Promise<void>;
}

/**
 * Reads all users' events as they become visible. Each read starts slightly before the last event, to include late
 * commits, and skips ids it has seen; ids are remembered exactly for that overlap, which is only counted while nothing
 * more has become visible there. Reads nothing while the database revision is unchanged.
 */
export function followEvents(
  db: Database,
  { maxRemembered = MAX_REMEMBERED }: { maxRemembered?: number } = {},
): EventFollower {
  const seen = new Set<string>();
  let revision: string | null = null;
  let newestId: string | null = null;
  let lastEventAtMs = 0;
  /** Events up to this id are never read again. */
  let floorId = firstIdAt(0);

  const raiseFloor = (id: string): void => {
    if (id <= floorId) return;
    floorId = id;
    for (const known of seen) if (known <= id) seen.delete(known);
  };

  const trimSeen = (systemMs: number): void => {
    if (newestId === null) return;
    raiseFloor(systemMs - lastEventAtMs > SETTLED_MS ? newestId : overlapBefore(newestId));
    if (seen.size <= maxRemembered) return;
    // Too many events to remember: late commits this far back are skipped, but no event is delivered twice.
    const latest = [...seen].sort();
    raiseFloor(latest[latest.length - maxRemembered - 1] ?? newestId);
  };

  /**
   * Returns the id after which events may be new: the last one's, unless another became visible before it. Only amounts are
   * compared, so that an event which went while another came would hide it; but none this young is ever deleted
   * (`pruneEvents` deletes after a day), and none changes its id.
   */
  const firstUnseenAfter = async (): Promise<string> => {
    if (newestId === null || newestId <= floorId || seen.size === 0) return floorId;
    const visible = await countEvents(db, { afterId: floorId, untilId: newestId });
    return visible === seen.size ? newestId : floorId;
  };

  const readOn: EventFollower['readOn'] = async (systemMs, hand) => {
    const current = await db.revision();
    if (current === revision) return;
    for (let afterId = await firstUnseenAfter(); ; ) {
      const batch = await readEvents(db, { afterId, limit: BATCH });
      for (const event of batch) {
        if (seen.has(event.id)) continue;
        seen.add(event.id);
        lastEventAtMs = systemMs;
        if (newestId === null || event.id > newestId) newestId = event.id;
        hand(event);
      }
      const last = batch.at(-1);
      if (batch.length < BATCH || !last) break;
      afterId = last.id;
    }
    trimSeen(systemMs);
    revision = current;
  };

  return {
    async begin(systemMs) {
      seen.clear();
      revision = null;
      newestId = await newestEventId(db);
      floorId = newestId === null ? firstIdAt(0) : overlapBefore(newestId);
      lastEventAtMs = systemMs;
      await readOn(systemMs, () => {});
    },
    readOn,
  };
}
