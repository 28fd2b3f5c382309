import { and, eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { channelGuests } from '#db/schema/channel.ts';
import { findChannelOf } from '#domain/channel/find-channel.ts';
import { channelLock } from '#domain/kernel/locks.ts';
import { done, type Outcome, refuse } from '#domain/kernel/outcome.ts';
import { announce } from '#domain/outbox/announce.ts';
import { pauseRulesOf } from '#domain/rule/pause-rules.ts';

/** Revokes a guest's admission: the guest's rules on the channel pause, and existing promises stay valid. */
export async function dismissGuest(
  db: Database,
  { userId, guestId }: { userId: string; guestId: string },
  nowMs: number,
): Promise<Outcome<object, 'notFound'>> {
  const channelId = await findChannelOf(db.read, userId);
  if (!channelId) return refuse('notFound');
  return db.transaction(
    async (tx) => {
      const dismissed = await tx
        .delete(channelGuests)
        .where(and(eq(channelGuests.channelId, channelId), eq(channelGuests.userId, guestId)))
        .returning({ userId: channelGuests.userId });
      if (dismissed.length === 0) return refuse('notFound');
      await pauseRulesOf(tx, { ownerId: guestId, channelId, reason: 'optInRevoked' }, nowMs);
      await announce(tx, [{ userId: guestId, kind: 'channel.changed', subjectId: channelId }], nowMs);
      return done({});
    },
    { lock: channelLock(channelId) },
  );
}
