import { copyOfAged } from '#tests/benchmarks/seed-history.ts';
import { makeSqliteFile } from '#tests/support/database.ts';
import { nextNumber } from '#tests/support/fixtures.ts';

export interface BenchOptions {
  /** Whether the store has three years behind it when the bench begins. */
  history: boolean;
}

/** How many rewards the past of such a store has. */
export const PAST_REWARDS = 100_000;
const MAX_PEOPLE_OF_THE_PAST = 2 * PAST_REWARDS;

/** A migrated SQLite file on disk, empty or with a past. The caller removes its folder. */
export async function makeBenchFile({ history }: BenchOptions): Promise<{ file: string; folder: string }> {
  if (!history) return makeSqliteFile('disk');
  leaveNumbersOfThePast();
  return copyOfAged(PAST_REWARDS);
}

/** Fixtures and the past both number their people from the beginning. */
export function leaveNumbersOfThePast(): void {
  while (nextNumber() < MAX_PEOPLE_OF_THE_PAST);
}
