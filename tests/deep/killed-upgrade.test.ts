// An upgrade of a filled store is killed at every one of its statements, before and after, on both databases: the store is
// always the old one or the new one, and the next start completes it. Some minutes; PostgreSQL needs TEST_POSTGRES_URL.
import { test } from 'vitest';
import { everyPoint, killUpgrades } from '#tests/support/killed-upgrades.ts';
import { oldPostgresStores, oldSqliteStores } from '#tests/support/old-stores.ts';

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

test.skipIf(!process.env.TEST_POSTGRES_URL)(
  'An upgrade of PostgreSQL killed at every statement leaves the old database or the new one',
  async () => {
    const { killed } = await killUpgrades(await oldPostgresStores(), everyPoint);
    console.info(`${killed} kills`);
  },
  MAX_MS,
);
