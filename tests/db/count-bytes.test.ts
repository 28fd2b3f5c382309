import { expect, test } from 'vitest';
import { countBytes } from '#db/engine/count-bytes.ts';
import { openTestDatabase } from '#tests/support/database.ts';

test('The size of a database is counted in bytes on both databases', async () => {
  await using db = await openTestDatabase();
  expect(await countBytes(db.read)).toBeGreaterThan(100_000);
});
