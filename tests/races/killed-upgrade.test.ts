import { expect } from 'vitest';
import { killUpgrades, sampleOf } from '#tests/support/killed-upgrades.ts';
import { oldPostgresStores } from '#tests/support/old-stores.ts';
import { onServer } from '#tests/support/own-postgres.ts';

// At many more: tests/deep/killed-upgrade.test.ts.
onServer('An upgrade of PostgreSQL killed at any point leaves the old database or the new one', async () => {
  const { points, killed } = await killUpgrades(await oldPostgresStores(), sampleOf);
  expect(points.at(-1)).toBe('after commit');
  expect(killed).toBeGreaterThan(5);
});
