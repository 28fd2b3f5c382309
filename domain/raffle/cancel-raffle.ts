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
  /**
   * Its list is closed, from which whoever knows the seed can tell the places. They stand, and a claim is stopped with a
   * reason that is on record.
   */
  | 'listClosed';

/** Cancels a raffle while entries can come, and gives its items back to its owner. Cancelling twice changes nothing. */
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
      if (raffle.state === 'cancelled') return done({});
      if (raffle.state !== 'prepared' && raffle.state !== 'running') return refuse('listClosed');
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
  const ofRaffle = eq(raffleEntries.raffleId, raffle.id);
  await tx
    .update(raffleEntries)
    .set({ placeState: 'passed', passReason: 'itemGone', heldUntilMs: null })
    .where(and(ofRaffle, is(raffleEntries.placeState, 'held')));
  await tx.update(raffleEntries).set({ name: null }).where(ofRaffle);
}

/**
 * Cancels the raffle of a channel that changes hands, so that whoever has the channel next neither starts it nor waits
 * for it. One whose list is closed is drawn within minutes, and its places stand.
 */
export async function endRaffleOn(tx: ChannelTx, channelId: string, nowMs: number): Promise<void> {
  const [raffle] = await tx
    .select()
    .from(raffles)
    .where(and(eq(raffles.channelId, channelId), within(raffles.state, ['prepared', 'running'])));
  if (raffle) await endRaffleIn(tx, raffle, 'channelLeft', nowMs);
}

/** Cancels the raffle whose items this rule holds, if it is one that still holds some. */
export async function cancelRaffleOfRule(tx: ChannelTx, ruleId: string, nowMs: number): Promise<void> {
  const [raffle] = await tx
    .select()
    .from(raffles)
    .where(and(eq(raffles.ruleId, ruleId), within(raffles.state, holdingRaffleStates)));
  if (raffle) await endRaffleIn(tx, raffle, 'takenBack', nowMs);
}
