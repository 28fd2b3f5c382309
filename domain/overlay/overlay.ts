import { eq, type SQL, sql } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { isAmong } from '#db/dialect.ts';
import {
  type OverlayLayout,
  type OverlayPiece,
  type OverlayPlace,
  overlayPieces,
  overlays,
} from '#db/schema/overlay.ts';
import type { Locale } from '#db/schema/user.ts';
import { statement } from '#db/statement.ts';
import { hashOf } from '#domain/identity/access/secret-token.ts';

/** The looks of an overlay, as its streamer chooses them. */
export interface OverlayChoice {
  layout: OverlayLayout;
  /** Null for the newest open rule. */
  ruleId: string | null;
  locale: Locale;
  isCalm: boolean;
  hasSound: boolean;
}

/** An overlay without its secrets. */
export interface Overlay extends OverlayChoice {
  userId: string;
  stoppedAtMs: number | null;
  /** The hashes of the secrets in both addresses, by which a request names the one that it replaces. */
  hashes: { overlay: string; dock: string };
}

/** The places where pieces stand until the streamer moves them: clear of crosshair, health and ammunition. */
const usualPlaces: Record<OverlayPiece, OverlayPlace> = {
  reward: 'bottomLeft',
  winner: 'bottom',
  raffle: 'left',
  pool: 'topRight',
  goal: 'topLeft',
  next: 'right',
};

/** Completes the changes that are stored of a layout. */
const layoutOf = (changed: Partial<OverlayLayout>): OverlayLayout =>
  Object.fromEntries(
    overlayPieces.map((piece) => [piece, changed[piece] === undefined ? usualPlaces[piece] : changed[piece]]),
  ) as OverlayLayout;

async function findBy(q: Reader, where: SQL): Promise<Overlay | null> {
  const { userId, layout, ruleId, locale, isCalm, hasSound, stoppedAtMs } = overlays;
  const hashes = { overlay: overlays.overlayHash, dock: overlays.dockHash };
  const [found] = await q
    .select({ userId, layout, ruleId, locale, isCalm, hasSound, stoppedAtMs, hashes })
    .from(overlays)
    .where(where);
  return found ? { ...found, layout: layoutOf(found.layout) } : null;
}

/** Finds a streamer's overlay; null before they have opened its page. */
export const findOverlayOf = (q: Reader, userId: string): Promise<Overlay | null> =>
  findBy(q, eq(overlays.userId, userId));

/** Finds an overlay by the secret in its address; null if there is none, or another one has replaced it. */
export const findOverlay = (q: Reader, secret: string): Promise<Overlay | null> =>
  findBy(q, eq(overlays.overlayHash, hashOf(secret)));

/** Finds the overlay that a dock governs, by the secret in the dock's address. */
export const findDock = (q: Reader, secret: string): Promise<Overlay | null> =>
  findBy(q, eq(overlays.dockHash, hashOf(secret)));

/** Reads the secrets in both addresses, for their streamer alone; null without an overlay. */
export async function getOverlaySecrets(
  q: Reader,
  userId: string,
): Promise<{ overlay: string; dock: string } | null> {
  const { overlaySecret: overlay, dockSecret: dock } = overlays;
  const [found] = await q.select({ overlay, dock }).from(overlays).where(eq(overlays.userId, userId));
  return found ?? null;
}

const readHashes = statement('overlay_hashes', (q) =>
  q
    .select({ userId: overlays.userId, overlay: overlays.overlayHash, dock: overlays.dockHash })
    .from(overlays)
    .where(isAmong(overlays.userId, sql.placeholder('userIds'))),
);

/** Reads the hashes of the secrets that are valid now, for those of these streamers who have an overlay. */
export const listOverlayHashes = async (
  q: Reader,
  userIds: readonly string[],
): Promise<({ userId: string } & Overlay['hashes'])[]> => readHashes(q, { userIds: JSON.stringify(userIds) });
