import { eq, sql } from 'drizzle-orm';
import { raffles } from '#db/schema/raffle.ts';
import { statement } from '#db/statement.ts';
import { moveIn } from '#db/write.ts';
import { type ChannelTx, requireChannel } from '#domain/kernel/locks.ts';
import { announce } from '#domain/outbox/announce.ts';
import { type RaffleEvent, raffleMachine } from './raffle-machine.ts';

export type Raffle = typeof raffles.$inferSelect;

const move = moveIn(raffles, 'raffle');

/** Reads a raffle in a transaction that holds its channel's lock. */
export const readRaffle = statement('raffle', (tx) =>
  tx
    .select()
    .from(raffles)
    .where(eq(raffles.id, sql.placeholder('raffleId'))),
);

/**
 * Moves a raffle to its next state; the only writer of `raffles.state`. Returns null when the event is not allowed in
 * the current state.
 */
export async function moveRaffle(
  tx: ChannelTx,
  raffle: Raffle,
  event: RaffleEvent,
  patch: Partial<Raffle>,
  nowMs: number,
): Promise<Raffle | null> {
  requireChannel(tx, raffle.channelId);
  const state = raffleMachine.next(raffle.state, event);
  if (!state || !(await move(tx, raffle, { ...patch, state }))) return null;
  await announce(tx, [{ userId: raffle.ownerId, kind: 'rule.changed', subjectId: raffle.ruleId }], nowMs);
  return { ...raffle, ...patch, state };
}
