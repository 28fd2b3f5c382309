import { sql } from 'drizzle-orm';
import { expect, onTestFinished, vi } from 'vitest';
import { openPostgres } from '#db/database.ts';
import type { TimeLimits } from '#db/engine/time-limits.ts';
import { errorCode } from '#db/error-code.ts';
import { askPostgres } from '#tests/support/ask-postgres.ts';
import { makePostgres, onServer } from '#tests/support/own-postgres.ts';
import { PATIENCE_MS } from '#tests/support/patience.ts';

const limits: TimeLimits = { statementMs: 300, idleInTransactionMs: 300 };
const hang = sql`select pg_sleep(60)`;
const QUERY_CANCELED = '57014';

type Session = { execute(query: unknown): Promise<{ rows: Record<string, string>[] }> };
const ask = async (session: unknown, query: ReturnType<typeof sql>) =>
  (await (session as Session).execute(query)).rows[0];
const pidOf = async (session: unknown) => (await ask(session, sql`select pg_backend_pid() as pid`))?.pid;
const limitOf = async (session: unknown) =>
  (await ask(session, sql`select current_setting('statement_timeout') as ms`))?.ms;
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'it succeeded',
    (error: unknown) => errorCode(error),
  );

/** A database with one row, opened with one connection. */
async function open(parameters: Record<string, string> = {}) {
  const url = new URL(await makePostgres());
  await askPostgres(url.href, "create table notes (text text); insert into notes values ('kept')");
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  const db = await openPostgres(url.href, 1, limits);
  onTestFinished(() => db.close());
  return { url: url.href, db };
}

onServer('A page’s statement that hangs is ended by PostgreSQL, and the next one is answered', async () => {
  const { db } = await open();
  expect(await codeOf(ask(db.read, hang))).toBe(QUERY_CANCELED);
  expect(await ask(db.read, sql`select text from notes`)).toEqual({ text: 'kept' });
  expect(await codeOf(db.transaction((tx) => ask(tx, hang)))).toBe(QUERY_CANCELED);
  expect(await db.transaction((tx) => ask(tx, sql`select text from notes`))).toEqual({ text: 'kept' });
});

onServer(
  'A transaction that waits for a lock of one that hangs is ended, and nothing of it stays',
  async () => {
    const { url, db } = await open();
    const holder = await openPostgres(url, 1);
    onTestFinished(() => holder.close());
    let letGo = () => {};
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    let isHeld = () => {};
    const holding = new Promise<void>((resolve) => {
      isHeld = resolve;
    });
    const hanging = holder.transaction(async (tx) => {
      await ask(tx, sql`update notes set text = 'held'`);
      isHeld();
      await held;
    });
    await holding;
    const waiting = db.transaction(async (tx) => {
      await ask(tx, sql`insert into notes values ('lost')`);
      await ask(tx, sql`update notes set text = 'mine'`);
    });
    expect(await codeOf(waiting)).toBe(QUERY_CANCELED);
    letGo();
    await hanging;
    expect(
      await db.transaction((tx) => ask(tx, sql`select string_agg(text, ',') as texts from notes`)),
    ).toEqual({
      texts: 'held',
    });
  },
);

onServer('A transaction whose process hangs gives its locks back, and the process lives on', async () => {
  const { url, db } = await open();
  const other = await openPostgres(url, 1);
  onTestFinished(() => other.close());
  const hanging = db.transaction(async (tx) => {
    await ask(tx, sql`update notes set text = 'lost'`);
    const pid = await pidOf(tx);
    const left = async () =>
      (await ask(other.read, sql`select count(*)::text as count from pg_stat_activity where pid = ${pid}`))
        ?.count;
    await vi.waitFor(async () => expect(await left()).toBe('0'), { timeout: PATIENCE_MS });
    await ask(tx, sql`update notes set text = 'later'`);
  });
  await expect(hanging).rejects.toThrow();
  expect(await db.transaction((tx) => ask(tx, sql`select text from notes for update`))).toEqual({
    text: 'kept',
  });
});

onServer('Limits that an operator has set stay', async () => {
  const { db } = await open({ options: '-c statement_timeout=1234ms' });
  expect(await limitOf(db.read)).toBe('1234ms');
  expect(await db.transaction(limitOf)).toBe('1234ms');
  const { db: pooled } = await open({ options: '-c statement_timeout=1234ms', pgbouncer: 'true' });
  expect(await pooled.transaction(limitOf)).toBe('1234ms');
});

onServer(
  'Behind pgbouncer a transaction has limits, and leaves none to others on its connection',
  async () => {
    const { db } = await open({ pgbouncer: 'true' });
    expect(await db.transaction(limitOf)).toBe('300ms');
    expect(await limitOf(db.read)).toBe('0');
    expect(await codeOf(db.transaction((tx) => ask(tx, hang)))).toBe(QUERY_CANCELED);
    expect(await db.transaction(limitOf)).toBe('300ms');
  },
);

onServer('Without limits a database is opened for what takes long', async () => {
  const { url } = await open();
  const db = await openPostgres(url, 1);
  onTestFinished(() => db.close());
  expect(await db.transaction(limitOf)).toBe('0');
});
