import { and, eq, isNull } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { raffles } from '#db/schema/raffle.ts';
import { channelLock } from '#domain/kernel/locks.ts';
import { readRaffle } from './move-raffle.ts';

/**
 * Records that Twitch took the chat line with a raffle's closed list, for which its draw waits. The first time counts, and
 * after the draw it changes nothing.
 */
export async function recordAnnounced(
  db: Database,
  { raffleId }: { raffleId: string },
  nowMs: number,
): Promise<void> {
  const [found] = await readRaffle(db.read, { raffleId });
  if (!found) return;
  await db.transaction(
    async (tx) => {
      const [raffle] = await readRaffle(tx, { raffleId });
      if (raffle?.state !== 'sealed') return;
      await tx
        .update(raffles)
        .set({ announcedAtMs: nowMs })
        .where(and(eq(raffles.id, raffleId), isNull(raffles.announcedAtMs)));
    },
    { lock: channelLock(found.channelId) },
  );
}
