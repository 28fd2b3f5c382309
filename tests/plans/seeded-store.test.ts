import { rmSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openSqlite } from '#db/database.ts';
import { AGED_MS, presentOf } from '#tests/benchmarks/history/write-history.ts';
import { seedSqlite } from '#tests/benchmarks/seed-history.ts';
import { BetterSqlite } from '#tests/support/better-sqlite.ts';
import { makeSqliteFile } from '#tests/support/database.ts';
import { checkInvariants } from '#tests/support/invariants.ts';

/** The owner's deposited items: in custody, on their way or delivered. */
const RECEIVED = 3300;

async function seeded(rewards: number) {
  const { file, folder } = await makeSqliteFile();
  const present = await seedSqlite(file, rewards);
  return { file, present, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
}

test('A seeded database contains what the domain would have written', async () => {
  using store = await seeded(1_000);
  const raw = new BetterSqlite(store.file);
  expect(raw.pragma('foreign_key_check')).toEqual([]);
  expect(raw.pragma('integrity_check', { simple: true })).toBe('ok');
  raw.close();
  const db = await openSqlite(store.file);
  await checkInvariants(db, AGED_MS, new Map([[store.present.owner.userId, RECEIVED]]));
  await db.close();
});

test('The reader of a seeded database sees the same, however long its past', async () => {
  const ownRows = (file: string) => {
    const raw = new BetterSqlite(file);
    const { owner, viewer } = presentOf();
    const people = { owner: owner.userId, viewer: viewer.userId };
    const read = (statement: string) => raw.prepare(statement).all(people);
    const found = {
      items: read('select * from items where owner_id in (@owner, @viewer) order by id'),
      transfers: read('select * from transfers where user_id in (@owner, @viewer) order by id'),
      rules: read('select * from rules where owner_id in (@owner, @viewer) order by id'),
      rewards: read(
        'select * from rewards where user_id = @viewer or rule_id in (select id from rules where owner_id = @owner) order by id',
      ),
    };
    raw.close();
    return found;
  };
  using short = await seeded(500);
  using long = await seeded(1_500);
  const rows = ownRows(short.file);
  expect(rows.items.length).toBe(RECEIVED);
  expect(ownRows(long.file)).toEqual(rows);
});
