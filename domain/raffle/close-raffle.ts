import { eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { raffles } from '#db/schema/raffle.ts';
import { channelLock } from '#domain/kernel/locks.ts';
import { done, type Outcome, refuse } from '#domain/kernel/outcome.ts';
import { readRaffle } from './move-raffle.ts';

/**
 * Ends the entries of a running raffle now rather than at its planned end, which stays on record. The draw follows
 * as usual. Closing twice, or after the end, changes nothing.
 */
export async function closeRaffle(
  db: Database,
  { raffleId }: { raffleId: string },
  nowMs: number,
): Promise<Outcome<object, 'notFound' | 'notRunning'>> {
  const [found] = await readRaffle(db.read, { raffleId });
  if (!found) return refuse('notFound');
  return db.transaction(
    async (tx) => {
      const [raffle] = await readRaffle(tx, { raffleId });
      if (!raffle || raffle.state === 'prepared' || raffle.state === 'cancelled') return refuse('notRunning');
      if (raffle.state === 'running' && nowMs < (raffle.endsAtMs ?? 0))
        await tx.update(raffles).set({ endsAtMs: nowMs }).where(eq(raffles.id, raffleId));
      return done({});
    },
    { lock: channelLock(found.channelId) },
  );
}
