// An upgrade of a filled store is killed before and after its statements, on SQLite at every one of them, on PostgreSQL
// at every third: the store is always the old one or the new one, and the next start completes it. PostgreSQL needs
// TEST_POSTGRES_URL.
import { test } from 'vitest';
import { everyPoint, killUpgrades } from '#tests/support/killed-upgrades.ts';
import { oldPostgresStores, oldSqliteStores } from '#tests/support/old-stores.ts';
import { serverUrl } from '#tests/support/postgres-server.ts';

/** A kill on a server takes longer than one on a file. The last point is after the commit, which leaves the new one. */
const everyThirdPoint = (points: readonly string[]): number[] =>
  everyPoint(points).filter((place) => (points.length - 1 - place) % 3 === 0);

/** Each kill takes a process. */
const MAX_MS = 60 * 60_000;

test(
  'An upgrade of SQLite killed at every statement leaves the old store or the new one',
  async () => {
    const { killed } = await killUpgrades(await oldSqliteStores(), everyPoint);
    console.info(`${killed} kills`);
  },
  MAX_MS,
);

test.skipIf(!serverUrl)(
  'An upgrade of PostgreSQL killed at every third statement leaves the old database or the new one',
  async () => {
    const { killed } = await killUpgrades(await oldPostgresStores(), everyThirdPoint);
    console.info(`${killed} kills`);
  },
  MAX_MS,
);
