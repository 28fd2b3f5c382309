import { expect, test } from 'vitest';
import { openPostgres } from '#db/database.ts';
import { migratePostgres } from '#db/migrate.ts';

const url = 'postgres://keepsake@/keepsake?host=/nowhere/at/all';

test('The address of a Unix socket is passed to PostgreSQL’s own driver', async () => {
  const db = await openPostgres(url);
  await expect(db.revision()).rejects.toMatchObject({ cause: { code: 'ENOENT' } });
  await expect(migratePostgres(url)).rejects.toMatchObject({ cause: { code: 'ENOENT' } });
  await db.close();
});
