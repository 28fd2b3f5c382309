import { copyOfAged } from '#tests/benchmarks/seed-history.ts';
import { makeSqliteFile } from '#tests/support/database.ts';
import { nextNumber } from '#tests/support/fixtures.ts';

export interface BenchOptions {
  /** True if the database has three years of past at the start. */
  history: boolean;
}

/** The number of past rewards in such a database. */
export const PAST_REWARDS = 100_000;
const MAX_PEOPLE_OF_THE_PAST = 2 * PAST_REWARDS;

/** A migrated SQLite file, empty or with a past. The caller removes its folder. */
export async function makeBenchFile({ history }: BenchOptions): Promise<{ file: string; folder: string }> {
  if (!history) return makeSqliteFile('disk');
  leaveNumbersOfThePast();
  return copyOfAged(PAST_REWARDS);
}

/** Fixtures and the past both number their people from the start. */
export function leaveNumbersOfThePast(): void {
  while (nextNumber() < MAX_PEOPLE_OF_THE_PAST);
}
