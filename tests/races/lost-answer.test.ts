import { sql } from 'drizzle-orm';
import { beforeEach, expect, onTestFinished, vi } from 'vitest';
import { type Database, openPostgres } from '#db/database.ts';
import { witnessCommit } from '#db/engine/pooled-transactions.ts';
import { migratePostgres } from '#db/migrate.ts';
import { events } from '#db/schema/outbox.ts';
import { statement } from '#db/statement.ts';
import { insertInto } from '#db/write.ts';
import { newId } from '#domain/kernel/id.ts';
import { askPostgres } from '#tests/support/ask-postgres.ts';
import { startCuttingProxy } from '#tests/support/cutting-proxy.ts';
import { START_MS } from '#tests/support/fixtures.ts';
import { makePostgres, onServer } from '#tests/support/own-postgres.ts';
import { PATIENCE_MS } from '#tests/support/patience.ts';
import { serverUrl } from '#tests/support/postgres-server.ts';

type Rows = { rows: Record<string, unknown>[] };
const execute = (session: unknown, query: ReturnType<typeof sql>) =>
  (session as { execute(query: unknown): Promise<Rows> }).execute(query);

let ownUrl: string;
beforeEach(async () => {
  if (serverUrl) ownUrl = await makePostgres();
});

/** A migrated database behind a proxy, with one connection, and the same without the proxy. */
async function openBehindProxy() {
  await migratePostgres(ownUrl);
  const proxy = await startCuttingProxy(ownUrl);
  const [db, direct] = await Promise.all([openPostgres(proxy.url, 1), openPostgres(ownUrl, 1)]);
  onTestFinished(async () => {
    await Promise.all([db.close(), direct.close()]);
    await proxy.close();
  });
  return { proxy, db, direct };
}

const eventOf = (id: string) =>
  sql`insert into events (id, user_id, kind, subject_id, at_ms) values (${id}, 'u', 'k', 's', 1)`;
const writtenIn = async (db: Database) =>
  (await execute(db.read, sql`select id from events`)).rows.map(({ id }) => id);

onServer('A transaction that cannot begin gives its connection back', async () => {
  const { proxy, db } = await openBehindProxy();
  for (let time = 0; time < 3; time += 1) {
    proxy.cutOnce({ at: 'begin isolation', when: 'before' });
    await expect(db.transaction(async () => 'done')).rejects.toThrow('Connection terminated');
  }
  expect(await db.transaction(async () => 'done')).toBe('done');
});

onServer(
  'When the connection is lost within a transaction, its error is not hidden by the rollback’s',
  async () => {
    const { proxy, db, direct } = await openBehindProxy();
    proxy.cutOnce({ at: 'select 4711', when: 'before' });
    const failed = db.transaction(async (tx) => {
      await execute(tx, eventOf('1'));
      await execute(tx, sql`select 4711`);
    });
    await expect(failed).rejects.toThrow('select 4711');
    expect(await writtenIn(direct)).toEqual([]);
  },
);

onServer('A commit whose answer was lost is recognized by the event it wrote', async () => {
  const { proxy, db, direct } = await openBehindProxy();
  proxy.cutOnce({ at: 'commit\0', when: 'answered' });
  const id = newId(START_MS);
  let runs = 0;
  const value = await db.transaction(async (tx) => {
    runs += 1;
    await execute(tx, eventOf(id));
    witnessCommit(tx, id);
    return 'done';
  });
  expect([value, runs]).toEqual(['done', 1]);
  expect(await writtenIn(direct)).toEqual([id]);
  expect(await db.transaction(async () => 'next')).toBe('next');
});

onServer('A commit that never arrived throws, and is not repeated', async () => {
  const { proxy, db, direct } = await openBehindProxy();
  proxy.cutOnce({ at: 'commit\0', when: 'before' });
  const id = newId(START_MS);
  let runs = 0;
  const failed = db.transaction(async (tx) => {
    runs += 1;
    await execute(tx, eventOf(id));
    witnessCommit(tx, id);
  });
  await expect(failed).rejects.toThrow('Connection terminated');
  expect(runs).toBe(1);
  expect(await writtenIn(direct)).toEqual([]);
});

const insertEvent = insertInto(events, 'lost_event');

onServer.for([
  ['its commit is answered', { at: 'commit\0', when: 'answered' }, 'done'],
  ['its first write arrives', { at: 'subject', when: 'before' }, 'Connection terminated'],
] as const)(
  'A transaction that waits for no write tells its end when the connection is lost as %s',
  async ([, cut, end]) => {
    const { proxy, db, direct } = await openBehindProxy();
    proxy.cutOnce(cut);
    const id = newId(START_MS);
    let runs = 0;
    const ended = db.transaction(async (tx) => {
      runs += 1;
      await insertEvent(tx, { id, userId: 'u', kind: 'rule.changed', subjectId: 'subject', atMs: 1 });
      witnessCommit(tx, id);
      return 'done';
    });
    expect(await ended.catch((error: Error) => error.message)).toContain(end);
    expect(runs).toBe(1);
    expect(await writtenIn(direct)).toEqual(end === 'done' ? [id] : []);
  },
);

onServer(
  'A commit is looked for until a server answers again, whatever the errors are meanwhile',
  async () => {
    const { proxy, db } = await openBehindProxy();
    const name = new URL(ownUrl).pathname.slice(1);
    // Its code is none of those of a lost connection.
    const allow = (is: boolean) =>
      askPostgres(serverUrl ?? '', `alter database ${name} with allow_connections ${is}`);
    proxy.cutOnce({ at: 'commit\0', when: 'answered' });
    const id = newId(START_MS);
    const before = proxy.connections();
    const running = db.transaction(async (tx) => {
      await execute(tx, eventOf(id));
      witnessCommit(tx, id);
      await allow(false);
      return 'done';
    });
    await vi.waitFor(() => expect(proxy.connections()).toBeGreaterThan(before + 1), { timeout: PATIENCE_MS });
    await allow(true);
    expect(await running).toBe('done');
  },
);

onServer('A connection to a server that has become read-only is replaced', async () => {
  const { db, direct } = await openBehindProxy();
  // As the session of a server that was demoted and kept it.
  await execute(db.read, sql`set default_transaction_read_only = on`);
  const write = (id: string) => db.transaction((tx) => execute(tx, eventOf(id)));
  await expect(write('1')).rejects.toThrow('insert into events');
  await write('2');
  expect(await writtenIn(direct)).toEqual(['2']);
});

onServer('An event of an earlier transaction on the connection proves nothing', async () => {
  const { proxy, db } = await openBehindProxy();
  const id = newId(START_MS);
  await db.transaction(async (tx) => {
    await execute(tx, eventOf(id));
    witnessCommit(tx, id);
  });
  proxy.cutOnce({ at: 'commit\0', when: 'answered' });
  await expect(db.transaction((tx) => execute(tx, sql`select 1`))).rejects.toThrow('Connection terminated');
});

const readOne = statement('one_of_lost_answer', (q) =>
  q.select({ one: sql<number>`${sql.placeholder('one')}::int` }).from(sql`(select 1) as single`),
);

onServer('Behind pgbouncer no statement relies on a name that another connection knows', async () => {
  const ask = async (db: Database) => {
    const read = () => readOne(db.read, { one: 7 });
    expect(await read()).toEqual([{ one: 7 }]);
    // The pooler hands out another connection of the server.
    await execute(db.read, sql`deallocate all`);
    return read();
  };
  const named = await openPostgres(ownUrl, 1);
  const url = new URL(ownUrl);
  url.searchParams.set('pgbouncer', 'true');
  const unnamed = await openPostgres(url.href, 1);
  onTestFinished(async () => {
    await Promise.all([named.close(), unnamed.close()]);
  });
  await expect(ask(named)).rejects.toThrow('does not exist');
  expect(await ask(unnamed)).toEqual([{ one: 7 }]);
});

onServer('A migration leaves no lock behind where its connection stays open', async () => {
  const pooler = await startCuttingProxy(ownUrl, { keepsServer: true });
  onTestFinished(() => pooler.close());
  await migratePostgres(pooler.url);
  const direct = await openPostgres(ownUrl, 1);
  onTestFinished(() => direct.close());
  const { rows } = await execute(
    direct.read,
    sql`select count(*)::int as locks from pg_locks where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())`,
  );
  expect(rows).toEqual([{ locks: 0 }]);
});

onServer('Two processes that migrate at once end with one schema', async () => {
  await Promise.all([migratePostgres(ownUrl), migratePostgres(ownUrl)]);
  const direct = await openPostgres(ownUrl, 1);
  onTestFinished(() => direct.close());
  expect(await writtenIn(direct)).toEqual([]);
});
