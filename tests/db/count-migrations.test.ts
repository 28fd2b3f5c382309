import { readdirSync } from 'node:fs';
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import type { Database } from '#db/database.ts';
import { isPostgres } from '#db/dialect.ts';
import { countMigrations } from '#db/engine/count-migrations.ts';
import { countRequired, migrationsFolder, newestKnownStep } from '#db/migrate.ts';
import { openTestDatabase } from '#tests/support/database.ts';

const dialect = isPostgres ? 'postgres' : 'sqlite';
const steps = isPostgres ? sql`drizzle.__drizzle_migrations` : sql`__drizzle_migrations`;
const run = (db: Database, query: ReturnType<typeof sql>) =>
  db.transaction((tx) =>
    (tx as unknown as { [name: string]: (query: unknown) => unknown })[isPostgres ? 'execute' : 'run']?.(
      query,
    ),
  );

test('The number of a schema is the same for the operator’s page and for doctor, also beside a newer version', async () => {
  await using db = await openTestDatabase();
  const landed = readdirSync(migrationsFolder[dialect]).filter((name) => name.endsWith('.sql')).length;
  const newest = newestKnownStep();
  const counts = async () => {
    const had = await db.read.select({ created_at: sql`created_at`, expands: sql`expands` }).from(steps);
    return [await countMigrations(db.read, newest), countRequired(dialect, had)];
  };
  expect(await counts()).toEqual([landed, landed]);
  try {
    for (const [nth, expands] of [true, false].entries())
      await run(
        db,
        sql`insert into ${steps} (hash, created_at, expands) values ('x', ${newest + 1 + nth}, ${sql.raw(String(expands))})`,
      );
    expect(await counts()).toEqual([landed + 1, landed + 1]);
    expect(await countMigrations(db.read, Number.POSITIVE_INFINITY)).toBe(landed + 2);
  } finally {
    await run(db, sql`delete from ${steps} where created_at > ${newest}`);
  }
});
