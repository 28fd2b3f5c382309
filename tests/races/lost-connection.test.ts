import { sql } from 'drizzle-orm';
import { expect, test, vi } from 'vitest';
import { openPostgres } from '#db/database.ts';
import { PATIENCE_MS } from '#tests/support/patience.ts';
import { serverUrl } from '#tests/support/postgres-server.ts';

test.skipIf(!serverUrl)('A connection closed by PostgreSQL while idle is replaced', async () => {
  const [db, other] = await Promise.all([openPostgres(serverUrl ?? '', 1), openPostgres(serverUrl ?? '', 1)]);
  const ask = async (one: typeof db, query: ReturnType<typeof sql>) => {
    const session = one.read as unknown as { execute(query: unknown): Promise<{ rows: { pid: number }[] }> };
    return (await session.execute(query)).rows[0]?.pid;
  };
  const pidOf = () => ask(db, sql`select pg_backend_pid() as pid`);
  const before = await pidOf();
  await ask(other, sql`select pg_terminate_backend(${before}) as pid`);
  const left = () => ask(other, sql`select count(*)::int as pid from pg_stat_activity where pid = ${before}`);
  // Used only once it is closed: a connection in use reports this to its user.
  await vi.waitFor(async () => expect(await left()).toBe(0), { timeout: PATIENCE_MS });
  await vi.waitFor(async () => expect(await pidOf()).not.toBe(before), { timeout: PATIENCE_MS });
  await Promise.all([db.close(), other.close()]);
});

test.skipIf(!serverUrl)('A connection closed by PostgreSQL within a transaction is replaced', async () => {
  const [db, other] = await Promise.all([openPostgres(serverUrl ?? '', 1), openPostgres(serverUrl ?? '', 1)]);
  type Session = { execute(query: unknown): Promise<{ rows: { pid: number }[] }> };
  const pidOf = async (session: unknown) =>
    (await (session as Session).execute(sql`select pg_backend_pid() as pid`)).rows[0]?.pid;
  let before: number | undefined;
  const ended = db.transaction(async (tx) => {
    before = await pidOf(tx);
    await (other.read as unknown as Session).execute(sql`select pg_terminate_backend(${before})`);
    await pidOf(tx);
  });
  await expect(ended).rejects.toThrow();
  const after = await db.transaction((tx) => pidOf(tx));
  expect(after).toBeGreaterThan(0);
  expect(after).not.toBe(before);
  await Promise.all([db.close(), other.close()]);
});
