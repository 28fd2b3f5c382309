// An upgrade of a filled store is killed before and after its statements, on SQLite at every eighth of them, on PostgreSQL
// at every 24th, and at all where most could go wrong: the store is always the old one or the new one, and the next
// start completes it. About a minute. PostgreSQL needs TEST_POSTGRES_URL.
import { test } from 'vitest';
import { killUpgrades, sampleOf } from '#tests/support/killed-upgrades.ts';
import { oldPostgresStores, oldSqliteStores } from '#tests/support/old-stores.ts';
import { serverUrl } from '#tests/support/postgres-server.ts';

/** Points at a distance, counted from the last, which is after the commit and leaves the new store; and the sample. */
const everyNth =
  (distance: number) =>
  (points: readonly string[]): number[] => {
    const spread = [...points.keys()].filter((place) => (points.length - 1 - place) % distance === 0);
    return [...new Set([...sampleOf(points), ...spread])].sort((a, b) => a - b);
  };

/** Each kill takes a process. */
const MAX_MS = 60 * 60_000;

test(
  'An upgrade of SQLite killed at many statements leaves the old store or the new one',
  async () => {
    const { killed } = await killUpgrades(await oldSqliteStores(), everyNth(8));
    console.info(`${killed} kills`);
  },
  MAX_MS,
);

test.skipIf(!serverUrl)(
  'An upgrade of PostgreSQL killed at many statements leaves the old database or the new one',
  async () => {
    const { killed } = await killUpgrades(await oldPostgresStores(), everyNth(24));
    console.info(`${killed} kills`);
  },
  MAX_MS,
);
