import { expect, test } from 'vitest';
import { openPostgres } from '#db/database.ts';
import { errorCode } from '#db/error-code.ts';
import { migratePostgres } from '#db/migrate.ts';

const url = 'postgres://keepsake@/keepsake?host=/nowhere/at/all';

test('The address of a Unix socket is passed to PostgreSQL’s own driver', async () => {
  const db = await openPostgres(url);
  const code = (attempt: Promise<unknown>) => attempt.then(() => 'none', errorCode);
  expect(await code(db.revision())).toBe('ENOENT');
  expect(await code(migratePostgres(url))).toBe('ENOENT');
  await db.close();
});
