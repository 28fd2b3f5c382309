import { eq, max } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { raffleEntries, raffles } from '#db/schema/raffle.ts';
import { type ChannelTx, channelLock } from '#domain/kernel/locks.ts';
import { done, type Outcome, refuse } from '#domain/kernel/outcome.ts';
import { type Raffle, readRaffle } from './move-raffle.ts';
import { raffleLengths } from './start-raffle.ts';

/**
 * Ends the entries of a running raffle now rather than at its planned end, which stays on record; in its first minute, at
 * the end of that, so that no hand on a dock leaves a chat without a chance to enter. The draw follows as usual. Closing twice, or after the end, changes nothing.
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
      if (raffle.state === 'running') await endBy(tx, raffle, nowMs);
      return done({});
    },
    { lock: channelLock(found.channelId) },
  );
}

/** Sets an earlier end. Entries have Twitch's time, which may be ahead of ours: none that was taken falls behind it. */
async function endBy(tx: ChannelTx, { id, startedAtMs, endsAtMs }: Raffle, nowMs: number): Promise<void> {
  const [last] = await tx
    .select({ atMs: max(raffleEntries.enteredAtMs) })
    .from(raffleEntries)
    .where(eq(raffleEntries.raffleId, id));
  const earlierMs = Math.max(nowMs, (startedAtMs ?? 0) + raffleLengths.shortestMs, (last?.atMs ?? 0) + 1);
  if (earlierMs < (endsAtMs ?? 0))
    await tx.update(raffles).set({ endsAtMs: earlierMs }).where(eq(raffles.id, id));
}
