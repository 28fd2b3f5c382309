import type { EventSourceOf } from '#app/http/event-stream.server.ts';
import { processLog } from '#app/http/logger.server.ts';
import type { Door, Notice } from '#app/overlay/protocol.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import { second } from '#domain/kernel/time.ts';
import { firstIdAt, overlapBefore, readEvents } from '#domain/outbox/read-events.ts';
import { findDock, findOverlay, listOverlayHashes, type Overlay } from '#domain/overlay/overlay.ts';
import { listShownNames } from '#domain/overlay/read-board.ts';
import { listCounted } from '#domain/watch-time/list-counted.ts';
import { outsideRequests } from '#platform/request-id.ts';
import { jsonOf } from './notice-json.server.ts';
import { momentEvents, OverlayShow, type Page } from './overlay-show.server.ts';

/** An address with its secret, as a page names it. */
export interface Key {
  door: Door;
  secret: string;
}

/** A stream that opens again is told what happened in this time. */
const MISSED_MS = 120 * second;
/** The interval at which it is checked where viewers came closer, entered a raffle or hid their name, and which secrets are valid. */
const CHECK_MS = 10 * second;

const shows = new Map<string, OverlayShow>();
let counted = new Map<string, number | null>();
let isLooking = false;

const doors: Record<Door, (q: Parameters<typeof findOverlay>[0], secret: string) => Promise<Overlay | null>> =
  {
    overlay: findOverlay,
    dock: findDock,
  };

/** Finds what an address leads to; null for anything that cannot be a secret of ours, too. */
export async function findByKey({ door, secret }: Key): Promise<Overlay | null> {
  return /^[\w-]{43}$/.test(secret) ? doors[door]((await database()).read, secret) : null;
}

/**
 * The events of the pages of one browser, each under its place among them. `lastId` is the last event that the browser
 * has; without one it gets what happens from now on.
 */
export function overlayEvents(
  found: readonly (Overlay | null)[],
  keys: readonly Key[],
  lastId: string | null,
): EventSourceOf {
  return (onEvent, end) => {
    const stops: (() => void)[] = [];
    const notifyAt =
      (to: number): Page['notify'] =>
      (notice: Notice, id) =>
        onEvent({ ...(id !== undefined && { id }), json: `{"to":${to},${jsonOf(notice).slice(1)}` });
    const open = async (place: number) => {
      const [overlay, key] = [found[place], keys[place]];
      if (!key) return;
      if (!overlay) return notifyAt(place)({ kind: 'gone' });
      stops.push(
        await follow(
          overlay,
          { door: key.door, hash: overlay.hashes[key.door], notify: notifyAt(place) },
          lastId,
        ),
      );
    };
    Promise.all(keys.map((_, place) => open(place))).catch((error: unknown) => {
      processLog.warn({ err: error }, 'could not read what an overlay shows; ending its stream');
      end();
    });
    return () => {
      for (const stop of stops.splice(0)) stop();
      // Pages that open from now on are closed at once.
      stops.push = (...late) => {
        for (const stop of late) stop();
        return 0;
      };
    };
  };
}

async function follow(overlay: Overlay, page: Page, lastId: string | null): Promise<() => void> {
  const { userId } = overlay;
  const show = shows.get(userId) ?? new OverlayShow(overlay);
  shows.set(userId, show);
  // Before anything is waited for: a show that the last page leaves is over.
  show.enter(page, overlay);
  watchOver();
  const leave = () => {
    show.remove(page);
    if (show.isEmpty && shows.get(userId) === show) shows.delete(userId);
  };
  try {
    await begin(show, { page, userId, lastId });
  } catch (error) {
    leave();
    throw error;
  }
  return leave;
}

async function begin(
  show: OverlayShow,
  { page, userId, lastId }: { page: Page; userId: string; lastId: string | null },
): Promise<void> {
  const startId = firstIdAt(await domainNow());
  await show.begun;
  await show.begin(page, lastId ?? startId);
  if (lastId === null) return;
  const earliest = firstIdAt((await domainNow()) - MISSED_MS);
  const after = overlapBefore(lastId);
  const afterId = after > earliest ? after : earliest;
  const db = await database();
  for (const kind of momentEvents) await show.catchUp(page, await readEvents(db, { afterId, userId, kind }));
}

/** Looks after the open overlays of this process while there are any: with three queries for all, and a few for each raffle that runs. */
function watchOver(): void {
  if (isLooking) return;
  isLooking = true;
  const again = () => setTimeout(() => void look(), CHECK_MS).unref();
  const look = async () => {
    if (shows.size === 0) {
      isLooking = false;
      return;
    }
    try {
      await dismissReplaced();
      await refreshCounted();
      await refreshHidden();
      for (const show of [...shows.values()]) if (show.hasRaffle) await show.readRaffle();
    } catch (error) {
      processLog.warn({ err: error }, 'could not look after overlays; retrying');
    }
    again();
  };
  outsideRequests(again);
}

/** Another process may have replaced a secret, and the event about it may not have come. */
async function dismissReplaced(): Promise<void> {
  const valid = await listOverlayHashes((await database()).read, [...shows.keys()]);
  const byUser = new Map(valid.map(({ userId, ...hashes }) => [userId, hashes]));
  for (const [userId, show] of shows) show.dismiss(byUser.get(userId) ?? null);
}

/** A viewer who hides their name is named no longer. */
async function refreshHidden(): Promise<void> {
  const open = [...shows.values()];
  const named = await listShownNames((await database()).read, [
    ...new Set(open.flatMap(({ namedIds }) => namedIds)),
  ]);
  for (const show of open) show.hideOthers(named);
}

/** Viewers come closer to a rule without an event: their time is counted on its channel. */
async function refreshCounted(): Promise<void> {
  const ids = new Set([...shows.values()].flatMap(({ channelId }) => channelId ?? []));
  const before = counted;
  const channels = await listCounted(await database(), ids);
  counted = new Map(channels.map(({ channelId, untilMs }) => [channelId, untilMs]));
  for (const show of [...shows.values()]) {
    const { channelId } = show;
    if (channelId !== null && before.has(channelId) && before.get(channelId) !== counted.get(channelId))
      show.readViewersSoon();
  }
}
