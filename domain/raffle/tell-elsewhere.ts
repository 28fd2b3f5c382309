import type { Database } from '#db/database.ts';
import { channelLock } from '#domain/kernel/locks.ts';
import { queueNews } from './raffle-news.ts';
import type { AwaitedKeyword } from './read-running.ts';

/** Queues the line that a raffle is entered in its own channel's chat only. */
export async function tellElsewhere(
  db: Database,
  { raffleId, channelId, keyword }: AwaitedKeyword,
  nowMs: number,
): Promise<void> {
  const news = { kind: 'elsewhere', raffleId, keyword } as const;
  await db.transaction((tx) => queueNews(tx, { channelId, news }, nowMs), { lock: channelLock(channelId) });
}
