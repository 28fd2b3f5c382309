import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as kit from 'drizzle-kit/api';
import { describe, expect, test } from 'vitest';
import { isPostgres } from '#db/dialect.ts';
import { migrationsFolder } from '#db/migrate.ts';

const dialects = ['sqlite', 'postgres'] as const;

/** The result of a folder's newest step, according to drizzle-kit. */
function newestSnapshot(dialect: (typeof dialects)[number]) {
  const meta = join(migrationsFolder[dialect], 'meta');
  const [newest = '', ...superseded] = readdirSync(meta)
    .filter((name) => name.endsWith('_snapshot.json'))
    .sort()
    .reverse();
  expect(superseded).toEqual([]);
  return JSON.parse(readFileSync(join(meta, newest), 'utf8')) as {
    tables: Record<
      string,
      { columns: object; indexes: object; foreignKeys: Record<string, { tableTo: string }> }
    >;
  };
}

const stepsOf = (dialect: (typeof dialects)[number]) =>
  readdirSync(migrationsFolder[dialect])
    .filter((name) => name.endsWith('.sql'))
    .map((name) => readFileSync(join(migrationsFolder[dialect], name), 'utf8'));

async function readSchema(): Promise<Record<string, unknown>> {
  const folder = new URL('../../db/schema/', import.meta.url);
  const files = readdirSync(folder);
  const modules = await Promise.all(files.map((name) => import(new URL(name, folder).pathname)));
  return Object.assign({}, ...modules) as Record<string, unknown>;
}

test(`The schema matches the ${isPostgres ? 'PostgreSQL' : 'SQLite'} migrations`, async () => {
  const schema = await readSchema();
  const statements = isPostgres
    ? await kit.generateMigration(
        newestSnapshot('postgres') as never,
        kit.generateDrizzleJson(schema as Record<string, unknown>),
      )
    : await kit.generateSQLiteMigration(
        newestSnapshot('sqlite') as never,
        await kit.generateSQLiteDrizzleJson(schema as Record<string, unknown>),
      );
  expect(statements).toEqual([]);
});

test('Both databases have the same tables, columns, indexes and references', () => {
  const shapeOf = (dialect: (typeof dialects)[number]) =>
    Object.fromEntries(
      Object.entries(newestSnapshot(dialect).tables).map(([name, { columns, indexes, foreignKeys }]) => [
        name.replace('public.', ''),
        {
          columns: Object.keys(columns).sort(),
          indexes: Object.keys(indexes).sort(),
          references: Object.values(foreignKeys)
            .map(({ tableTo }) => tableTo)
            .sort(),
        },
      ]),
    );
  expect(shapeOf('sqlite')).toEqual(shapeOf('postgres'));
});

describe.each(dialects)('The %s migrations', (dialect) => {
  test('contain no bound parameter in a partial index’s predicate or a check', () => {
    const partial = stepsOf(dialect).flatMap((ddl) => ddl.match(/CREATE (UNIQUE )?INDEX .* WHERE .*/g) ?? []);
    const checks = stepsOf(dialect).flatMap((ddl) => ddl.match(/CHECK ?\(.*/g) ?? []);
    expect(partial.length).toBeGreaterThan(8);
    expect(checks.length).toBeGreaterThan(8);
    expect([...partial, ...checks].filter((line) => /\?|\$\d/.test(line))).toEqual([]);
  });
});
