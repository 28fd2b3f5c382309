import { eq } from 'drizzle-orm';
import type { Tx } from '#db/database.ts';
import { overlays } from '#db/schema/overlay.ts';
import { hashOf, newSecretToken } from '#domain/identity/access/secret-token.ts';
import { announce } from '#domain/outbox/announce.ts';

/** Replaces the secrets of a person's overlay and its dock, if they have them, within another act's transaction. */
export async function replaceOverlaySecrets(tx: Tx, userId: string, nowMs: number): Promise<void> {
  const [overlaySecret, dockSecret] = [newSecretToken(), newSecretToken()];
  const replaced = await tx
    .update(overlays)
    .set({
      overlaySecret,
      overlayHash: hashOf(overlaySecret),
      dockSecret,
      dockHash: hashOf(dockSecret),
    })
    .where(eq(overlays.userId, userId))
    .returning({ userId: overlays.userId });
  if (replaced.length > 0)
    await announce(tx, [{ userId, kind: 'overlay.changed', subjectId: userId }], nowMs);
}
