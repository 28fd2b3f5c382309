// Writes that a transaction on PostgreSQL sends without waiting, and which fail.
import { sql } from 'drizzle-orm';
import { beforeEach, expect, onTestFinished } from 'vitest';
import { isUniqueViolation, openPostgres, type Tx } from '#db/database.ts';
import { migratePostgres } from '#db/migrate.ts';
import { events } from '#db/schema/outbox.ts';
import { insertInto } from '#db/write.ts';
import { askPostgres } from '#tests/support/ask-postgres.ts';
import { makePostgres, onServer } from '#tests/support/own-postgres.ts';
import { serverUrl } from '#tests/support/postgres-server.ts';

let url: string;
beforeEach(async () => {
  if (!serverUrl) return;
  url = await makePostgres();
  await migratePostgres(url);
});

const insertEvent = insertInto(events, 'sent_event');
const send = (tx: Tx, id: string) =>
  insertEvent(tx, { id, userId: 'u', kind: 'rule.changed', subjectId: 's', atMs: 1 });
const written = async () =>
  (await askPostgres<{ id: string }>(url, 'select id from events order by id')).map(({ id }) => id);

const execute = (session: unknown, query: ReturnType<typeof sql>) =>
  (session as { execute(query: unknown): Promise<unknown> }).execute(query);

async function open(parameters = '') {
  const db = await openPostgres(url + parameters, 1);
  onTestFinished(() => db.close());
  return db;
}

onServer('A transaction is repeated whose write was the victim of a deadlock', async () => {
  await askPostgres(
    url,
    `create sequence writes;
     create function lose_once() returns trigger language plpgsql as $$ begin
       if nextval('writes') = 1 then raise exception using errcode = '40P01'; end if;
       return new;
     end $$;
     create trigger lose_once before insert on events for each row execute function lose_once()`,
  );
  const db = await open();
  let runs = 0;
  await db.transaction(async (tx) => {
    runs += 1;
    await send(tx, 'one');
  });
  expect(runs).toBe(2);
  expect(await written()).toEqual(['one']);
});

onServer.for([
  ['with names', ''],
  ['behind pgbouncer', '?pgbouncer=true'],
])('A statement whose first use failed works in the next transaction, %s', async ([, parameters]) => {
  const db = await open(parameters);
  const failed = db.transaction(async (tx) => {
    const division = execute(tx, sql`select 1 / 0`).catch(() => {});
    await send(tx, 'one');
    await send(tx, 'two');
    await division;
  });
  await expect(failed).rejects.toThrow();
  await db.transaction(async (tx) => {
    await send(tx, 'three');
    await send(tx, 'four');
  });
  const twice = db.transaction(async (tx) => send(tx, 'four'));
  expect(isUniqueViolation(await twice.catch((error: unknown) => error))).toBe(true);
  expect(await written()).toEqual(['four', 'three']);
});
