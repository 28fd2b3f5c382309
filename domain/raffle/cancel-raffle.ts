import { and, eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { is, within } from '#db/dialect.ts';
import { holdingRaffleStates, type RaffleEnd, raffleEntries, raffles } from '#db/schema/raffle.ts';
import { rewards } from '#db/schema/reward.ts';
import { type ChannelTx, channelLock } from '#domain/kernel/locks.ts';
import { done, type Outcome, refuse } from '#domain/kernel/outcome.ts';
import { detachFree } from '#domain/rule/detach-rewards.ts';
import { moveRaffle, type Raffle, readRaffle } from './move-raffle.ts';

export type CancelRefusal =
  | 'notFound'
  /** It was drawn: its places stand, and a claim is stopped with a reason that is on record. */
  | 'alreadyDrawn';

/**
 * Cancels a raffle before its draw and gives its items back to its owner. Cancelling twice changes nothing.
 */
export async function cancelRaffle(
  db: Database,
  { raffleId }: { raffleId: string },
  nowMs: number,
): Promise<Outcome<object, CancelRefusal>> {
  const [found] = await readRaffle(db.read, { raffleId });
  if (!found) return refuse('notFound');
  return db.transaction(
    async (tx) => {
      const [raffle] = await readRaffle(tx, { raffleId });
      if (!raffle) return refuse('notFound');
      if (raffle.state === 'drawn' || raffle.state === 'over') return refuse('alreadyDrawn');
      await endRaffleIn(tx, raffle, 'byOwner', nowMs);
      return done({});
    },
    { lock: channelLock(found.channelId) },
  );
}

/** Cancels a raffle in the caller's transaction. What was promised by then stays promised. */
export async function endRaffleIn(
  tx: ChannelTx,
  raffle: Raffle,
  endReason: RaffleEnd,
  nowMs: number,
): Promise<void> {
  if (!(await moveRaffle(tx, raffle, 'cancelled', { endedAtMs: nowMs, endReason }, nowMs))) return;
  const free = await tx
    .select({ id: rewards.id })
    .from(rewards)
    .where(and(eq(rewards.ruleId, raffle.ruleId), is(rewards.state, 'free')));
  const ids = free.map(({ id }) => id);
  await detachFree(tx, { ownerId: raffle.ownerId, ids, recallReason: 'raffleOver' }, nowMs);
  await tx.update(raffleEntries).set({ name: null }).where(eq(raffleEntries.raffleId, raffle.id));
}

/** Cancels the raffle whose items this rule holds, if it is one that still holds some. */
export async function cancelRaffleOfRule(tx: ChannelTx, ruleId: string, nowMs: number): Promise<void> {
  const [raffle] = await tx
    .select()
    .from(raffles)
    .where(and(eq(raffles.ruleId, ruleId), within(raffles.state, holdingRaffleStates)));
  if (raffle) await endRaffleIn(tx, raffle, 'byOwner', nowMs);
}
