import type { Database } from '#db/database.ts';
import { channelLock } from '#domain/kernel/locks.ts';
import { takeMessageIn } from '#domain/twitch-event/seen-messages.ts';
import { queueAnnouncement } from './queue-announcement.ts';
import type { AwaitedKeyword } from './read-running.ts';

/**
 * Queues the line that a raffle is entered in its own channel's chat only, once for each raffle: what is remembered of
 * seen messages outlives the longest one.
 */
export async function announceElsewhere(
  db: Database,
  { raffleId, channelId, keyword }: AwaitedKeyword,
  { nowMs, systemMs }: { nowMs: number; systemMs: number },
): Promise<void> {
  const announcement = { kind: 'elsewhere', raffleId, keyword } as const;
  await db.transaction(
    async (tx) => {
      if (await takeMessageIn(tx, `elsewhere:${raffleId}`, systemMs))
        await queueAnnouncement(tx, { channelId, announcement }, nowMs);
    },
    { lock: channelLock(channelId) },
  );
}
