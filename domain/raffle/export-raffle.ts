import type { Reader } from '#db/database.ts';
import { getRaffle, listEntries } from './get-raffle.ts';

const iso = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

/**
 * Returns a raffle as its published data, which the script in docs/verify-draws.mjs checks; null if nothing of it is
 * published. Viewers are their Twitch ids, as in the data of draws.
 */
export async function exportRaffle(q: Reader, raffleId: string) {
  const raffle = await getRaffle(q, raffleId);
  if (!raffle) return null;
  // Entries and a draw that came after the first read belong to the next answer.
  const entries = (await listEntries(q, raffleId))
    .filter(({ number }) => number <= raffle.entryCount)
    .map((entry) => (raffle.drawnAtMs === null ? { ...entry, place: null, state: null } : entry));
  return {
    format: 'keepsake-raffle/1' as const,
    raffle: {
      id: raffle.id,
      keyword: raffle.keyword,
      winners: raffle.winners,
      state: raffle.state,
      endReason: raffle.endReason,
      startedAt: iso(raffle.startedAtMs),
      plannedEnd: iso(raffle.plannedEndMs),
      endedAt: iso(raffle.endsAtMs),
      sealedAt: iso(raffle.sealedAtMs),
      announcedAt: iso(raffle.announcedAtMs),
      drawnAt: iso(raffle.drawnAtMs),
    },
    terms: raffle.terms,
    commitment: raffle.commitment,
    seed: raffle.seed,
    listHash: raffle.listHash,
    checkpoints: raffle.checkpoints
      .filter(({ number }) => number <= raffle.entryCount)
      .map(({ number, hash, atMs }) => ({ number, hash, at: iso(atMs) })),
    entries: entries.map(({ number, twitchId, enteredAtMs, place, state, passReason, reward, stopped }) => ({
      number,
      twitchId,
      at: iso(enteredAtMs),
      place,
      state,
      passed: passReason,
      reward,
      stopped,
    })),
  };
}

export type RaffleExport = NonNullable<Awaited<ReturnType<typeof exportRaffle>>>;
