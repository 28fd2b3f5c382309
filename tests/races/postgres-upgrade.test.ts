import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openPostgres } from '#db/database.ts';
import { migratePostgres } from '#db/migrate.ts';
import { askPostgres } from '#tests/support/ask-postgres.ts';
import { startCuttingProxy } from '#tests/support/cutting-proxy.ts';
import { makePostgres, onServer } from '#tests/support/own-postgres.ts';

const table = 'create table first (id text primary key);';
const ITS_NAME = 'The database in DATABASE_URL';

/** A migration folder with these steps. */
function writeMigrations(...steps: string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'keepsake-steps-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, 'meta'));
  const entries = steps.map((text, idx) => {
    writeFileSync(join(folder, `000${idx}_step.sql`), text);
    return { idx, version: '7', when: 1000 + idx, tag: `000${idx}_step`, breakpoints: true };
  });
  const journal = { version: '7', dialect: 'postgresql', entries };
  writeFileSync(join(folder, 'meta', '_journal.json'), JSON.stringify(journal));
  return folder;
}

const messageOf = (work: Promise<unknown>) =>
  work.then(
    () => 'it succeeded',
    ({ message }: Error) => message,
  );

async function stateOf(url: string) {
  const [state] = await askPostgres(
    url,
    `select (select count(*)::int from drizzle.__drizzle_migrations) as steps,
       to_regclass('first')::text as first, to_regclass('second')::text as second`,
  );
  return state;
}

onServer('An upgrade that fails says in one line that the database is as it was before', async () => {
  const url = await makePostgres();
  await migratePostgres(url, null, writeMigrations(table));
  const failing = writeMigrations(table, `create table second (id text);--> statement-breakpoint\n${table}`);
  expect(await messageOf(migratePostgres(url, null, failing))).toBe(
    `${ITS_NAME} could not be migrated and is as it was before: relation "first" already exists`,
  );
  expect(await stateOf(url)).toEqual({ steps: 1, first: 'first', second: null });
});

onServer('An upgrade takes longer than the limits that the operator set for requests', async () => {
  const url = await makePostgres();
  await migratePostgres(url, null, writeMigrations(table));
  const limited = new URL(url);
  limited.searchParams.set('options', '-c statement_timeout=200ms -c lock_timeout=200ms');
  await migratePostgres(limited.href, null, writeMigrations(table, 'select pg_sleep(0.5)'));
  expect(await stateOf(url)).toMatchObject({ steps: 2 });
});

onServer('A schema of a newer version is refused, and nothing is changed', async () => {
  const url = await makePostgres();
  await migratePostgres(url, null, writeMigrations(table, 'create table second (id text)'));
  const message = await messageOf(migratePostgres(url, null, writeMigrations(table)));
  expect(message).toMatch(
    /^The database in DATABASE_URL has the schema of a newer version of Keepsake, and nothing was changed\. [^\n]+$/,
  );
  expect(await stateOf(url)).toEqual({ steps: 2, first: 'first', second: 'second' });
});

onServer('An upgrade whose last answer is lost says so, and the next start completes it', async () => {
  const url = await makePostgres();
  const proxy = await startCuttingProxy(url);
  onTestFinished(() => proxy.close());
  for (const when of ['before', 'answered'] as const) {
    proxy.cutOnce({ at: 'commit\0', when });
    const message = await messageOf(migratePostgres(proxy.url, null, writeMigrations(table)));
    expect(message).toMatch(
      /^The database in DATABASE_URL was migrated, or is as it was before: .+ Start again to find out\.$/,
    );
  }
  await migratePostgres(proxy.url, null, writeMigrations(table));
  expect(await stateOf(url)).toMatchObject({ steps: 1, first: 'first' });
});

test('A server that does not answer is named in one line', async () => {
  const closed = createServer();
  await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve));
  const { port } = closed.address() as { port: number };
  await new Promise((resolve) => closed.close(resolve));
  const message = await messageOf(migratePostgres(`postgres://nobody@localhost:${port}/none`));
  expect(message).toMatch(/^The database in DATABASE_URL does not answer \(ECONNREFUSED\)\. .+\.$/);
});

onServer('The system asks within seconds whether the database’s machine is still there', async () => {
  const asked = vi.spyOn(Socket.prototype, 'setKeepAlive');
  onTestFinished(() => asked.mockRestore());
  const url = await makePostgres();
  await migratePostgres(url, null, writeMigrations(table));
  const db = await openPostgres(url, 1);
  onTestFinished(() => db.close());
  await db.transaction(async () => {});
  // The first connection made the database, and is the test's own.
  expect(asked.mock.calls.slice(-2)).toEqual([
    [true, 10_000],
    [true, 10_000],
  ]);
});
