import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { drizzle } from 'drizzle-orm/better-sqlite3';
import { migrate } from 'drizzle-orm/better-sqlite3/migrator';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { isPostgres } from '#db/dialect.ts';
import { loadSqliteDriver } from '#db/engine/sqlite-driver.ts';
import { strictTables } from '#db/engine/strict-tables.ts';
import { migrateSqlite, migrationsFolder } from '#db/migrate.ts';
import { BetterSqlite } from '#tests/support/better-sqlite.ts';
import { makeSqliteFile } from '#tests/support/database.ts';
import { bundleOf } from '#tests/support/processes.ts';

const parentAndChild = `CREATE TABLE parents (id text PRIMARY KEY NOT NULL, name text);
--> statement-breakpoint
CREATE TABLE children (
  id text PRIMARY KEY NOT NULL,
  parent_id text NOT NULL REFERENCES parents(id) ON DELETE CASCADE
);`;

/** A rebuild as drizzle-kit writes it; its pragmas have no effect, because the migrator runs it in a transaction. */
const rebuiltParent = `PRAGMA foreign_keys=OFF;--> statement-breakpoint
CREATE TABLE __new_parents (id text PRIMARY KEY NOT NULL, name text NOT NULL);
--> statement-breakpoint
INSERT INTO __new_parents (id, name) SELECT id, name FROM parents;--> statement-breakpoint
DROP TABLE parents;--> statement-breakpoint
ALTER TABLE __new_parents RENAME TO parents;--> statement-breakpoint
PRAGMA foreign_keys=ON;`;

const orphan = `INSERT INTO children (id, parent_id) VALUES ('c9', 'nobody');`;

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'keepsake-migrations-'));
  file = join(folder, 'store.db');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A migration folder with these steps. */
function writeMigrations(...steps: string[]): string {
  mkdirSync(join(folder, 'meta'), { recursive: true });
  const entries = steps.map((ddl, idx) => {
    writeFileSync(join(folder, `000${idx}_step.sql`), ddl);
    return { idx, version: '6', when: 1000 + idx, tag: `000${idx}_step`, breakpoints: true };
  });
  const journal = { version: '7', dialect: 'sqlite', entries };
  writeFileSync(join(folder, 'meta', '_journal.json'), JSON.stringify(journal));
  return folder;
}

function inStore<T>(look: (store: BetterSqlite.Database) => T): T {
  const store = new BetterSqlite(file);
  try {
    return look(store);
  } finally {
    store.close();
  }
}

/** True if a file system of this test's own can be mounted, for its processes alone. */
const canMountHere = spawnSync('unshare', ['-rm', 'true']).status === 0;

const countOfChildren = () =>
  inStore((store) => store.prepare('select count(*) from children').pluck().get());

describe.skipIf(isPostgres)('Migrations of an SQLite file', () => {
  const makeFamily = async () => {
    await migrateSqlite(file, null, writeMigrations(parentAndChild));
    inStore((store) =>
      store.exec(
        "insert into parents values ('p1', 'Demo'); insert into children values ('c1', 'p1'), ('c2', 'p1')",
      ),
    );
  };

  test('A rebuilt table keeps its child rows', async () => {
    await makeFamily();
    await migrateSqlite(file, null, writeMigrations(parentAndChild, rebuiltParent));
    expect(countOfChildren()).toBe(2);
  });

  test('The same rebuild with foreign keys on silently deletes them, which is why they are off', async () => {
    await makeFamily();
    inStore((store) => {
      store.pragma('foreign_keys = ON');
      migrate(drizzle(store), { migrationsFolder: writeMigrations(parentAndChild, rebuiltParent) });
    });
    expect(countOfChildren()).toBe(0);
  });

  const stepsDone = () =>
    inStore((store) => store.prepare('select count(*) from __drizzle_migrations').pluck().get());

  test('A migration that fails, or would leave a broken reference, changes nothing', async () => {
    await makeFamily();
    const wrong = 'create table half (id text);--> statement-breakpoint\ncreate table parents (id text);';
    for (const [step, why] of [
      [orphan, 'is as it was before: it would leave 1 broken references'],
      [wrong, 'is as it was before: table parents already exists'],
    ] as const) {
      await expect(migrateSqlite(file, null, writeMigrations(parentAndChild, step))).rejects.toThrow(why);
      expect([countOfChildren(), stepsDone()]).toEqual([2, 1]);
      expect(inStore((store) => store.prepare("select 1 from sqlite_master where name = 'half'").get())).toBe(
        undefined,
      );
    }
    await migrateSqlite(file, null, writeMigrations(parentAndChild, rebuiltParent));
    expect([countOfChildren(), stepsDone()]).toEqual([2, 2]);
  });

  test('Before a migration the old store is copied', async () => {
    await makeFamily();
    expect(existsSync(`${file}.previous`)).toBe(false);
    await migrateSqlite(file, null, writeMigrations(parentAndChild, rebuiltParent));
    const previous = new BetterSqlite(`${file}.previous`, { readonly: true });
    expect(previous.prepare('select count(*) from children').pluck().get()).toBe(2);
    expect(previous.prepare('select count(*) from __drizzle_migrations').pluck().get()).toBe(1);
    previous.close();
  });

  test('A schema of a newer version is refused with one line, and nothing is changed', async () => {
    await makeFamily();
    await migrateSqlite(file, null, writeMigrations(parentAndChild, rebuiltParent));
    rmSync(`${file}.previous`);
    await expect(migrateSqlite(file, null, writeMigrations(parentAndChild))).rejects.toThrow(
      /^\S+store\.db has the schema of a newer version of Keepsake, and nothing was changed\. [^\n]+$/,
    );
    expect([countOfChildren(), stepsDone(), existsSync(`${file}.previous`)]).toEqual([2, 2, false]);
  });

  /** Calls when the old store has just been copied. */
  async function onCopied(copied: () => void): Promise<void> {
    const { prototype } = await loadSqliteDriver();
    const { prepare } = prototype;
    prototype.prepare = function (this: BetterSqlite.Database, source: string) {
      const statement = prepare.call(this, source);
      if (!source.startsWith('VACUUM INTO')) return statement;
      const run = statement.run.bind(statement) as (...values: unknown[]) => unknown;
      return Object.assign(statement, {
        run(...values: unknown[]) {
          const answer = run(...values);
          copied();
          return answer;
        },
      });
    } as typeof prepare;
    onTestFinished(() => {
      prototype.prepare = prepare;
    });
  }

  test('Nobody writes between the copy and the migration', async () => {
    await makeFamily();
    const writes: string[] = [];
    await onCopied(() => {
      const writer = new BetterSqlite(file, { timeout: 0 });
      try {
        writer.exec("insert into children values ('late', 'p1')");
        writes.push('written');
      } catch (error) {
        writes.push((error as Error).message);
      } finally {
        writer.close();
      }
    });
    await migrateSqlite(file, null, writeMigrations(parentAndChild, rebuiltParent));
    expect(writes).toEqual(['database is locked']);
  });

  test.skipIf(!canMountHere)('A disk without room for the copy is named in one line', async () => {
    mkdirSync(join(folder, 'disk'));
    const steps = writeMigrations(parentAndChild, rebuiltParent);
    const script = `mount -t tmpfs -o size=3m none "$1" && exec "$2" "$4" "$1/store.db" "$3"`;
    const { stdout, stderr } = spawnSync(
      'unshare',
      [
        '-rm',
        'sh',
        '-c',
        script,
        'sh',
        join(folder, 'disk'),
        process.execPath,
        steps,
        bundleOf('migration-on-full-disk'),
      ],
      { encoding: 'utf8' },
    );
    expect(stderr).toBe('');
    const { error, files, rows } = JSON.parse(stdout) as { error: string; files: string[]; rows: number };
    expect(error).toMatch(
      /^\S+store\.db could not be migrated and is as it was before: there is no room on the disk for \S+store\.db\.previous, [^\n]+$/,
    );
    expect([files, rows]).toEqual([['store.db'], 1]);
  });

  test('The store and its copy are closed to other users, and what a killed migration left goes', async () => {
    const modeOf = (path: string) => statSync(path).mode & 0o777;
    const umask = process.umask(0o022);
    try {
      await makeFamily();
      expect(modeOf(file)).toBe(0o600);
      chmodSync(file, 0o644);
      const killed = spawnSync(process.execPath, ['-e', '']).pid;
      for (const pid of [killed, process.ppid]) writeFileSync(`${file}.previous.${pid}`, '');
      await migrateSqlite(file, null, writeMigrations(parentAndChild, rebuiltParent));
      expect([modeOf(file), modeOf(`${file}.previous`)]).toEqual([0o600, 0o600]);
      const copies = readdirSync(folder).filter((name) => name.startsWith('store.db.previous'));
      expect(copies.sort()).toEqual(['store.db.previous', `store.db.previous.${process.ppid}`]);
    } finally {
      process.umask(umask);
    }
  });

  test('Migrating twice changes nothing', async () => {
    await makeFamily();
    await migrateSqlite(file, null, folder);
    expect(countOfChildren()).toBe(2);
  });

  test('The generated steps are already STRICT', () => {
    const steps = readdirSync(migrationsFolder.sqlite).filter((name) => name.endsWith('.sql'));
    expect(steps.length).toBeGreaterThan(0);
    for (const step of steps) {
      const ddl = readFileSync(join(migrationsFolder.sqlite, step), 'utf8');
      expect(strictTables(ddl), step).toBe(ddl);
    }
  });
});

describe.skipIf(isPostgres)('STRICT tables of SQLite', () => {
  type Column = { name: string; type: string };
  const sampleOf = ({ type }: Column) => (type.toUpperCase() === 'INTEGER' ? 1 : 'x');

  /** Inserts one row, bypassing every rule except column types. */
  function insertRow(store: BetterSqlite.Database, table: string, columns: Column[], values: unknown[]) {
    const names = columns.map(({ name }) => `"${name}"`).join();
    const marks = columns.map(() => '?').join();
    // Triggers may have made the row already.
    store.prepare(`insert or replace into "${table}" (${names}) values (${marks})`).run(values);
  }

  test('Every table refuses text in each of its integer columns', async () => {
    const made = await makeSqliteFile();
    const store = new BetterSqlite(made.file);
    store.pragma('foreign_keys = OFF');
    store.pragma('ignore_check_constraints = ON');
    const tables = store
      .prepare(
        "select name from sqlite_schema where type = 'table' and name not like 'sqlite%' and name not like '__drizzle%'",
      )
      .pluck()
      .all() as string[];
    expect(tables.length).toBeGreaterThan(15);
    const strict = store.prepare('select strict from pragma_table_list where name = ?').pluck();
    for (const table of tables) {
      expect(strict.get(table), table).toBe(1);
      const columns = store.pragma(`table_info("${table}")`) as Column[];
      const numbers = columns.filter((column) => sampleOf(column) === 1);
      for (const wrong of numbers) {
        const row = columns.map((column) => (column === wrong ? 'abc' : sampleOf(column)));
        const insert = () => insertRow(store, table, columns, row);
        expect(insert, `${table}.${wrong.name}`).toThrow(
          expect.objectContaining({ code: 'SQLITE_CONSTRAINT_DATATYPE' }),
        );
      }
      insertRow(store, table, columns, columns.map(sampleOf));
    }
    store.close();
    rmSync(made.folder, { recursive: true, force: true });
  });
});
