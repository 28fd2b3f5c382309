import pg from 'pg';
import { expect, onTestFinished } from 'vitest';
import { migratePostgres } from '#db/migrate.ts';
import { makePostgres, onServer } from '#tests/support/own-postgres.ts';
import { describeFindings } from '../../cli/doctor/doctor.ts';
import { examinePostgresServer } from '../../cli/doctor/examine-postgres.ts';

/** A migrated database, and a connection to damage it by. */
async function openOwn() {
  const url = await makePostgres();
  await migratePostgres(url);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  return { url, run: (query: string) => client.query(query) };
}
const namesOf = async (url: string) => (await examinePostgresServer(url)).map(({ name }) => name);

onServer('Nothing is found in a sound PostgreSQL', async () => {
  const { url } = await openOwn();
  expect(await examinePostgresServer(url)).toEqual([]);
});

onServer('A clock that differs from PostgreSQL’s is found in both directions', async () => {
  const { url } = await openOwn();
  const at = (aheadMs: number) => examinePostgresServer(url, () => Date.now() + aheadMs);
  expect(await at(20_000)).toEqual([]);
  const [ahead, ...others] = await at(90_000);
  expect([ahead?.name, others]).toEqual(['databaseClockWrong', []]);
  expect(ahead?.what).toMatch(/^The clock of this machine is (89|90|91) s ahead of the database's\.$/);
  expect((await at(-90_000))[0]?.what).toContain("behind the database's");
});

onServer('An index that PostgreSQL could not finish is found by its name, with what mends it', async () => {
  const { url, run } = await openOwn();
  await run('create table doubled (id text)');
  await run("insert into doubled values ('a'), ('a')");
  await run('create unique index concurrently doubled_once on doubled (id)').catch(() => {});
  const findings = await examinePostgresServer(url);
  expect(findings.map(({ name }) => name)).toEqual(['databaseDamaged']);
  expect(describeFindings(findings)).toContain('REINDEX INDEX CONCURRENTLY doubled_once;');
  await run("delete from doubled where ctid = '(0,2)'");
  await run('reindex index concurrently doubled_once');
  expect(await namesOf(url)).toEqual([]);
});

onServer('A schema of an older or of a newer version is found, and none at all', async () => {
  const { url, run } = await openOwn();
  await run("insert into drizzle.__drizzle_migrations (hash, created_at) values ('x', 9999999999999)");
  expect(await namesOf(url)).toEqual(['schemaNewer']);
  await run(
    'delete from drizzle.__drizzle_migrations where id > (select max(id) - 2 from drizzle.__drizzle_migrations)',
  );
  expect(await namesOf(url)).toEqual(['migrationPending']);
  await run('drop schema drizzle cascade');
  expect(await namesOf(url)).toEqual(['migrationPending']);
});
