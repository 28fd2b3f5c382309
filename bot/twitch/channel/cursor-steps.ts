import type { BotDeps } from '#bot/deps.ts';
import type { Slots } from '#bot/slots.ts';
import { watchClock } from '#bot/twitch/channel/clock-steps.ts';
import type { CursoredChannel, trackCursors } from '#bot/twitch/channel/cursors.ts';
import type { ReadWatched } from '#bot/twitch/channel/watched-channels.ts';
import { putBackCursor } from '#domain/audience/put-back-cursor.ts';
import type { Lease, LeaseName } from '#domain/bot/take-leases.ts';
import { slotOf } from '#domain/bot/take-slots.ts';
import { listCursors } from '#domain/channel/list-cursors.ts';
import { second } from '#domain/kernel/time.ts';
import { listWatchedChannels, type WatchedChannel } from '#domain/rule/list-watched-channels.ts';

type Deps = Pick<BotDeps, 'db' | 'clock' | 'log'> & {
  slots: Pick<Slots, 'leaseOf' | 'databaseFor'>;
  roundEveryMs: number;
  watched: ReadWatched;
  cursors: ReturnType<typeof trackCursors>;
  wake(): void;
};

/** Tracks by how much each channel's cursor has yet to be put back. */
function trackOwed({
  clock,
  log,
  roundEveryMs,
  wake,
}: Pick<Deps, 'clock' | 'log' | 'roundEveryMs' | 'wake'>) {
  let pendingMs = 0;
  const owedMs = new Map<string, number>();
  /** The slots that are being given up, and what is pending for their channels. */
  const leaving = new Map<LeaseName, number>();
  const followed = watchClock(clock, roundEveryMs, (backMs) => {
    pendingMs += backMs;
    for (const [name, leftMs] of leaving) leaving.set(name, leftMs + backMs);
    if (pendingMs < second) return;
    log.warn({ backMs: pendingMs }, 'the clock was put back');
    wake();
  });
  return {
    followed,
    arePending: (): boolean => pendingMs >= second,
    /** Divides what is pending among the channels, and forgets those that another process has now. */
    divide(channels: readonly WatchedChannel[]): void {
      const ids = new Set(channels.map(({ id }) => id));
      for (const id of owedMs.keys()) if (!ids.has(id) && !leaving.has(slotOf(id))) owedMs.delete(id);
      if (pendingMs < second) return;
      for (const id of ids) if (!leaving.has(slotOf(id))) owedMs.set(id, (owedMs.get(id) ?? 0) + pendingMs);
      pendingMs = 0;
    },
    isAny: (): boolean => owedMs.size > 0 || [...leaving.values()].some((leftMs) => leftMs >= second),
    of: (id: string): number => (owedMs.get(id) ?? 0) + (leaving.get(slotOf(id)) ?? 0),
    end: (id: string): unknown => owedMs.delete(id),
    beginLeaving: (name: LeaseName): unknown => leaving.set(name, pendingMs),
    endLeaving(name: LeaseName): void {
      leaving.delete(name);
      for (const id of owedMs.keys()) if (slotOf(id) === name) owedMs.delete(id);
    },
  };
}

/**
 * Puts cursors back when domain time is, each once it is not being read; those of a slot that is being given up, before
 * it is.
 */
export function followSteps(deps: Deps, reading: ReadonlyMap<string, unknown>) {
  const { db, slots, watched, cursors } = deps;
  const { followed, arePending, ...owed } = trackOwed(deps);
  // Two at once would put a cursor back twice.
  const inTurn = oneAtATime();

  const putBack = async (
    { id: channelId, watchedUntilMs: fromMs }: Pick<CursoredChannel, 'id' | 'watchedUntilMs'>,
    lease: Lease,
  ): Promise<void> => {
    const byMs = owed.of(channelId);
    if (byMs < second || reading.has(channelId)) return;
    if (fromMs !== null)
      await putBackCursor(slots.databaseFor([lease]), { channelId, fromMs, byMs }, followed.now());
    owed.end(channelId);
    cursors.clear(channelId);
  };

  return {
    ...followed,
    arePending,
    /** Returns the watched channels and their cursors as they are then. */
    putBack: (): Promise<readonly CursoredChannel[]> =>
      inTurn(async () => {
        const channels = await cursors.read(await watched());
        owed.divide(channels);
        if (!owed.isAny()) return channels;
        for (const channel of channels) {
          const lease = slots.leaseOf(channel.id);
          if (lease) await putBack(channel, lease);
        }
        return cursors.read(await watched());
      }),
    /** Puts the cursors of a slot that is being given up back, once the readings under way in it have ended. */
    async leave(lease: Lease, ended: Promise<unknown>): Promise<void> {
      owed.beginLeaving(lease.name);
      const putBackAll = async () => {
        if (!owed.isAny()) return;
        const channels = await listWatchedChannels(db.read);
        const ids = channels.flatMap(({ id }) => (slotOf(id) === lease.name ? id : []));
        for (const [id, cursor] of await listCursors(db.read, ids)) await putBack({ id, ...cursor }, lease);
      };
      try {
        await ended;
        followed.now();
        await inTurn(putBackAll);
      } finally {
        owed.endLeaving(lease.name);
      }
    },
  };
}

function oneAtATime() {
  let working: Promise<unknown> = Promise.resolve();
  return <T>(work: () => Promise<T>): Promise<T> => {
    const done = working.then(work, work);
    working = done;
    return done;
  };
}
