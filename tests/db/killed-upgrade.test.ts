import { expect, test } from 'vitest';
import { isPostgres } from '#db/dialect.ts';
import { killUpgrades, sampleOf } from '#tests/support/killed-upgrades.ts';
import { oldSqliteStores } from '#tests/support/old-stores.ts';

// At many more: tests/deep/killed-upgrade.test.ts.
test.skipIf(isPostgres)(
  'An upgrade of SQLite killed at any point leaves the old store or the new one',
  async () => {
    const { points, killed } = await killUpgrades(await oldSqliteStores(), sampleOf);
    expect(points.filter((point) => /^(before|after) VACUUM INTO/.test(point))).toHaveLength(2);
    expect(killed).toBeGreaterThan(5);
  },
);
