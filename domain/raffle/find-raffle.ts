import { and, desc, eq } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { within } from '#db/dialect.ts';
import { liveRaffleStates, raffles } from '#db/schema/raffle.ts';
import type { Raffle } from './move-raffle.ts';

const isLive = within(raffles.state, liveRaffleStates);

/** Finds the raffle of a channel that is prepared, runs or is about to be drawn; null if there is none. */
export async function findLiveRaffle(q: Reader, channelId: string): Promise<Raffle | null> {
  const [raffle] = await q
    .select()
    .from(raffles)
    .where(and(eq(raffles.channelId, channelId), isLive));
  return raffle ?? null;
}

/** Finds such a raffle by its owner, whichever channel is theirs now. */
export async function findOwnRaffle(q: Reader, ownerId: string): Promise<Raffle | null> {
  const [raffle] = await q
    .select()
    .from(raffles)
    .where(and(eq(raffles.ownerId, ownerId), isLive))
    .orderBy(desc(raffles.id))
    .limit(1);
  return raffle ?? null;
}
