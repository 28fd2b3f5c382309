import type { Database } from '#db/database.ts';
import { channelLock } from '#domain/kernel/locks.ts';
import { queueAnnouncement } from './queue-announcement.ts';
import type { AwaitedKeyword } from './read-running.ts';

/** Queues the line that a raffle is entered in its own channel's chat only. */
export async function announceElsewhere(
  db: Database,
  { raffleId, channelId, keyword }: AwaitedKeyword,
  nowMs: number,
): Promise<void> {
  const announcement = { kind: 'elsewhere', raffleId, keyword } as const;
  await db.transaction((tx) => queueAnnouncement(tx, { channelId, announcement }, nowMs), {
    lock: channelLock(channelId),
  });
}
