import { rmSync } from 'node:fs';
import { eq, sql } from 'drizzle-orm';
import { expect, onTestFinished, test } from 'vitest';
import { type Database, holdLock, lockNamed, openSqlite } from '#db/database.ts';
import { isPostgres } from '#db/dialect.ts';
import { MIGRATION_LOCK } from '#db/engine/expansions.ts';
import { newestKnownStep } from '#db/migrate.ts';
import { processes } from '#db/schema/process.ts';
import { minute } from '#domain/kernel/time.ts';
import { announceProcess, withdrawProcess } from '#domain/process/announce-process.ts';
import { BetterSqlite } from '#tests/support/better-sqlite.ts';
import { makeSqliteFile, openTestDatabase } from '#tests/support/database.ts';
import { serverUrl } from '#tests/support/postgres-server.ts';

const schema = newestKnownStep();
const processOf = (id: string, role: 'web' | 'bot' = 'web', known = schema) => ({
  id,
  role,
  version: '0.1.0',
  schema: known,
});
const idsOf = async (db: Database) => (await db.read.select().from(processes)).map(({ id }) => id).sort();

/** Lets the time run out for which a process is known. */
const lapse = (db: Database, id: string) =>
  db.transaction((tx) => tx.update(processes).set({ untilMs: 1 }).where(eq(processes.id, id)).returning());

const steps = isPostgres ? sql`drizzle.__drizzle_migrations` : sql`__drizzle_migrations`;
const run = (db: Database, query: ReturnType<typeof sql>) =>
  db.transaction((tx) =>
    (tx as unknown as { [name: string]: (query: unknown) => unknown })[isPostgres ? 'execute' : 'run']?.(
      query,
    ),
  );

/** Notes a step of a newer version, as its migration does, until the work has ended. */
async function withStep(
  db: Database,
  { expands }: { expands: boolean },
  work: () => Promise<unknown>,
): Promise<void> {
  await run(
    db,
    sql`insert into ${steps} (hash, created_at, expands) values ('x', ${schema + 1}, ${sql.raw(String(expands))})`,
  );
  try {
    await work();
  } finally {
    await run(db, sql`delete from ${steps} where created_at = ${schema + 1}`);
  }
}

test('A process is known until it says that it has ended, or has been silent; then the next one forgets it', async () => {
  await using db = await openTestDatabase();
  for (const [id, role] of [
    ['w1', 'web'],
    ['b1', 'bot'],
    ['w2', 'web'],
  ] as const)
    expect(await announceProcess(db, processOf(id, role))).toBe('runs');
  expect(await idsOf(db)).toEqual(['b1', 'w1', 'w2']);
  await withdrawProcess(db, 'w1');
  await lapse(db, 'b1');
  await announceProcess(db, processOf('w2'));
  expect(await idsOf(db)).toEqual(['b1', 'w2']);
  await announceProcess(db, processOf('b2', 'bot'));
  expect(await idsOf(db)).toEqual(['b2', 'w2']);
});

test('A process that was silent for too long becomes known again, for as long as any', async () => {
  await using db = await openTestDatabase();
  await announceProcess(db, processOf('w1'));
  const [first] = await db.read.select().from(processes);
  await lapse(db, 'w1');
  expect(await announceProcess(db, processOf('w1'))).toBe('runs');
  const [again] = await db.read.select().from(processes);
  expect(again?.untilMs).toBeGreaterThanOrEqual(first?.untilMs ?? Number.POSITIVE_INFINITY);
});

test('A process that an outage of the database kept silent is not forgotten by the first one that comes back', async () => {
  await using db = await openTestDatabase();
  await announceProcess(db, processOf('w1'));
  const untilMs = Date.now() - minute;
  await db.transaction((tx) => tx.update(processes).set({ untilMs }).returning());
  await announceProcess(db, processOf('b1', 'bot'));
  expect(await idsOf(db)).toEqual(['b1', 'w1']);
});

test('A process waits for the migration that its version begins with, and for the first one', async () => {
  await using db = await openTestDatabase();
  expect(await announceProcess(db, processOf('w1', 'web', schema + 1))).toBe('migrating');
  expect(await idsOf(db)).toEqual([]);
  await run(db, sql`alter table processes rename to renamed`);
  expect(await announceProcess(db, processOf('w1'))).toBe('migrating');
  await run(db, sql`alter table renamed rename to processes`);
  await run(db, sql`alter table ${steps} rename column expands to renamed`);
  expect(await announceProcess(db, processOf('w1'))).toBe('migrating');
  await run(db, sql`alter table ${steps} rename column renamed to expands`);
  expect(await announceProcess(db, processOf('w1'))).toBe('runs');
});

test.skipIf(isPostgres)('A process waits while a migration has the write lock of the file', async () => {
  const { file, folder } = await makeSqliteFile();
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const db = await openSqlite(file, { waitMs: 1 });
  const migrating = new BetterSqlite(file);
  migrating.exec('begin immediate');
  expect(await announceProcess(db, processOf('w1'))).toBe('migrating');
  migrating.exec('rollback');
  expect(await announceProcess(db, processOf('w1'))).toBe('runs');
  migrating.close();
  await db.close();
});

test('A process goes on and starts after a newer version added something, and does neither after one changed something', async () => {
  await using db = await openTestDatabase();
  await announceProcess(db, processOf('w1'));
  await withStep(db, { expands: true }, async () => {
    expect(await announceProcess(db, processOf('w1'))).toBe('runs');
    expect(await announceProcess(db, processOf('b1', 'bot'))).toBe('runs');
  });
  await withStep(db, { expands: false }, async () => {
    expect(await announceProcess(db, processOf('w1'))).toBe('outdated');
    expect(await announceProcess(db, processOf('w3'))).toBe('outdated');
    expect(await announceProcess(db, processOf('w4', 'web', schema + 1))).toBe('runs');
  });
  expect(await idsOf(db)).toEqual(['b1', 'w1', 'w4']);
});

test.skipIf(!serverUrl || !isPostgres)(
  'While the database is migrated no process begins; those that are known go on',
  async () => {
    await using db = await openTestDatabase();
    await announceProcess(db, processOf('w1'));
    let letGo = () => {};
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    let isHeld = false;
    const migrating = db.transaction(async (tx) => {
      await holdLock(tx, lockNamed(MIGRATION_LOCK));
      isHeld = true;
      await held;
    });
    await expect.poll(() => isHeld).toBe(true);
    expect(await announceProcess(db, processOf('w1'))).toBe('runs');
    expect(await announceProcess(db, processOf('w2'))).toBe('migrating');
    await lapse(db, 'w1');
    expect(await announceProcess(db, processOf('w1'))).toBe('migrating');
    letGo();
    await migrating;
    const [{ untilMs = 0 } = {}] = await db.read.select().from(processes);
    expect(untilMs, 'a migration that is waiting sees it').toBeGreaterThan(1);
    for (const id of ['w1', 'w2']) expect(await announceProcess(db, processOf(id))).toBe('runs');
    expect(await idsOf(db)).toEqual(['w1', 'w2']);
  },
);
