import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { openPostgres } from '#db/database.ts';
import { serverUrl } from '#tests/support/postgres-server.ts';

const execute = (session: unknown, query: ReturnType<typeof sql>) =>
  (session as { execute(query: unknown): Promise<unknown> }).execute(query);

test.skipIf(!serverUrl)(
  'PostgreSQL rolls back a transaction with a swallowed failure, and the caller learns of it',
  async () => {
    const db = await openPostgres(serverUrl ?? '', 1);
    const aborted = db.transaction(async (tx) => {
      await execute(tx, sql`select 1 / 0`).catch(() => {});
      return 'done';
    });
    await expect(aborted).rejects.toThrow('rolled back instead of committed');
    // Its connection is reused by the next one.
    expect(await db.transaction(async () => 'done')).toBe('done');
    await db.close();
  },
);
