import { and, eq } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { raffles } from '#db/schema/raffle.ts';

/** Finds the streamer's raffle whose items a rule holds, and whether it was ever started; null if there is none. */
export async function findRaffleOfRule(
  q: Reader,
  { ruleId, ownerId }: { ruleId: string; ownerId: string },
): Promise<{ id: string; isPublic: boolean } | null> {
  const [raffle] = await q
    .select({ id: raffles.id, startedAtMs: raffles.startedAtMs })
    .from(raffles)
    .where(and(eq(raffles.ruleId, ruleId), eq(raffles.ownerId, ownerId)));
  return raffle ? { id: raffle.id, isPublic: raffle.startedAtMs !== null } : null;
}
