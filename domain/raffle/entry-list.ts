import { createHash, createHmac } from 'node:crypto';

/** Everything that is fixed as a raffle starts, and published with it. */
export interface RaffleTerms {
  raffleId: string;
  /** SHA-256 of the seed. */
  commitment: string;
  keyword: string;
  winners: number;
  startedAtMs: number;
  plannedEndMs: number;
  /** The item and who may enter, as names and values. */
  terms: NamedTerms;
}

/** In the order in which the hash covers them. */
export type NamedTerms = readonly (readonly [name: string, value: string | number | boolean])[];

export interface ListedEntry {
  number: number;
  twitchId: string;
  enteredAtMs: number;
}

const sha256 = (facts: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(facts)).digest('hex');
const written = (ms: number): string => new Date(ms).toISOString();

/** The hash of a list without entries. */
export const headOf = (terms: RaffleTerms): string =>
  sha256([
    terms.commitment,
    terms.raffleId,
    terms.keyword,
    terms.winners,
    written(terms.startedAtMs),
    written(terms.plannedEndMs),
    terms.terms,
  ]);

/** The running hash with one more entry: it covers the terms and every entry so far, in their order. */
export const hashAfter = (before: string, { number, twitchId, enteredAtMs }: ListedEntry): string =>
  sha256([before, number, twitchId, written(enteredAtMs)]);

/**
 * Orders the entries by nothing but the seed and the closed list: each by HMAC-SHA256 of `raffleId:listHash:twitchId`,
 * keyed with the seed's text, in hexadecimal digits, the lowest first. One more entry, or one in another order, gives
 * every entry another place.
 */
export function inPlaces<E extends Pick<ListedEntry, 'number' | 'twitchId'>>(
  seed: string,
  { raffleId, listHash }: { raffleId: string; listHash: string },
  entries: readonly E[],
): E[] {
  const ordered = entries.map((entry) => ({
    entry,
    key: createHmac('sha256', seed).update(`${raffleId}:${listHash}:${entry.twitchId}`).digest('hex'),
  }));
  ordered.sort((one, other) =>
    one.key === other.key ? one.entry.number - other.entry.number : one.key < other.key ? -1 : 1,
  );
  return ordered.map(({ entry }) => entry);
}
