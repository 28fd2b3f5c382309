import { and, eq, isNotNull, isNull, ne } from 'drizzle-orm';
import type { Database, Tx } from '#db/database.ts';
import { overlays } from '#db/schema/overlay.ts';
import type { Locale } from '#db/schema/user.ts';
import { hashOf, newSecretToken } from '#domain/identity/access/secret-token.ts';
import { done, type Outcome, refuse } from '#domain/kernel/outcome.ts';
import { announce } from '#domain/outbox/announce.ts';
import { findOverlayOf, type Overlay, type OverlayChoice } from '#domain/overlay/overlay.ts';
import { findRuleOf } from '#domain/rule/find-rule.ts';

/** The addresses that have a secret. */
export const overlayDoors = ['overlay', 'dock'] as const;
type OverlayDoor = (typeof overlayDoors)[number];

type OfUser = { userId: string };

const announceChange = (tx: Tx, { userId }: OfUser, nowMs: number) =>
  announce(tx, [{ userId, kind: 'overlay.changed', subjectId: userId }], nowMs);

const newDoor = () => {
  const secret = newSecretToken();
  return { secret, hash: hashOf(secret) };
};

/** Returns a streamer's overlay, and makes one with new secrets if they have none. */
export async function openOverlay(
  db: Database,
  { userId, locale }: OfUser & { locale: Locale },
  nowMs: number,
): Promise<Overlay> {
  const known = await findOverlayOf(db.read, userId);
  if (known) return known;
  const [overlay, dock] = [newDoor(), newDoor()];
  return db.transaction(async (tx) => {
    await tx
      .insert(overlays)
      .values({
        userId,
        overlayHash: overlay.hash,
        overlaySecret: overlay.secret,
        dockHash: dock.hash,
        dockSecret: dock.secret,
        locale,
        createdAtMs: nowMs,
      })
      .onConflictDoNothing();
    const made = await findOverlayOf(tx, userId);
    if (!made) throw new Error(`no overlay of ${userId}`);
    return made;
  });
}

/** Stores how an overlay looks. Refused for a rule that is not the streamer's, and before there is an overlay. */
export async function setOverlay(
  db: Database,
  { userId, choice }: OfUser & { choice: OverlayChoice },
  nowMs: number,
): Promise<Outcome<object, 'unknown' | 'ruleUnknown'>> {
  return db.transaction(async (tx) => {
    if (choice.ruleId !== null && !(await findRuleOf(tx, choice.ruleId, userId)))
      return refuse('ruleUnknown');
    const set = await tx
      .update(overlays)
      .set(choice)
      .where(eq(overlays.userId, userId))
      .returning({ userId: overlays.userId });
    if (set.length === 0) return refuse('unknown');
    await announceChange(tx, { userId }, nowMs);
    return done({});
  });
}

/**
 * Replaces the secret of one address: the old address is unknown from then on. `replaces` is the hash of the one that
 * the streamer saw, so that a request that comes twice replaces once.
 */
export async function replaceSecret(
  db: Database,
  { userId, door, replaces }: OfUser & { door: OverlayDoor; replaces: string },
  nowMs: number,
): Promise<Outcome<object, 'unknown'>> {
  const { secret, hash } = newDoor();
  const [known, patch] =
    door === 'overlay'
      ? [overlays.overlayHash, { overlayHash: hash, overlaySecret: secret }]
      : [overlays.dockHash, { dockHash: hash, dockSecret: secret }];
  return db.transaction(async (tx) => {
    const replaced = await tx
      .update(overlays)
      .set(patch)
      .where(and(eq(overlays.userId, userId), eq(known, replaces)))
      .returning({ userId: overlays.userId });
    if (replaced.length > 0) await announceChange(tx, { userId }, nowMs);
    else if (!(await findOverlayOf(tx, userId))) return refuse('unknown');
    return done({});
  });
}

/** Stops an overlay, so that it shows nothing, or lets it go on. Doing so again changes nothing. */
export async function stopOverlay(
  db: Database,
  { userId, stops }: OfUser & { stops: boolean },
  nowMs: number,
): Promise<Outcome<object, 'unknown'>> {
  return db.transaction(async (tx) => {
    const changed = await tx
      .update(overlays)
      .set({ stoppedAtMs: stops ? nowMs : null })
      .where(
        and(
          eq(overlays.userId, userId),
          stops ? isNull(overlays.stoppedAtMs) : isNotNull(overlays.stoppedAtMs),
        ),
      )
      .returning({ userId: overlays.userId });
    if (changed.length > 0) await announceChange(tx, { userId }, nowMs);
    else if (!(await findOverlayOf(tx, userId))) return refuse('unknown');
    return done({});
  });
}

/**
 * Sends a made-up event to a streamer's open overlays. Refused on a channel that may be live unless they want it there. The same
 * request sends one.
 */
export async function testOverlay(
  db: Database,
  input: OfUser & { requestId: string; mayBeLive: boolean; wantsItLive: boolean },
  nowMs: number,
): Promise<Outcome<object, 'unknown' | 'live'>> {
  const { userId, requestId } = input;
  if (input.mayBeLive && !input.wantsItLive) return refuse('live');
  return db.transaction(async (tx) => {
    const sent = await tx
      .update(overlays)
      .set({ testId: requestId })
      .where(and(eq(overlays.userId, userId), ne(overlays.testId, requestId)))
      .returning({ userId: overlays.userId });
    if (sent.length > 0)
      await announce(tx, [{ userId, kind: 'overlay.tested', subjectId: requestId }], nowMs);
    else if (!(await findOverlayOf(tx, userId))) return refuse('unknown');
    return done({});
  });
}
