// npm run db:generate NAME [expands]: writes the migrations of both dialects from db/schema, by drizzle-kit.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { strictTables } from '#db/engine/strict-tables.ts';
import { copiedFromNowhere, type Snapshot } from './copied-columns.ts';
import { findContractions } from './find-contractions.ts';

const migrations = new URL('../db/migrations/', import.meta.url).pathname;
const dialects = ['sqlite', 'postgres'] as const;
type Dialect = (typeof dialects)[number];

const filesOf = (dialect: Dialect) =>
  readdirSync(join(migrations, dialect)).filter((name) => name.endsWith('.sql'));
const snapshotsOf = (dialect: Dialect) =>
  readdirSync(join(migrations, dialect, 'meta'))
    .filter((name) => name.endsWith('_snapshot.json'))
    .sort();

function newestSnapshot(): Snapshot {
  const newest = snapshotsOf('sqlite').at(-1) ?? '';
  return JSON.parse(readFileSync(join(migrations, 'sqlite', 'meta', newest), 'utf8'));
}

/** drizzle-kit takes the dialect from `DATABASE_URL` (drizzle.config.ts). */
function generate(dialect: Dialect, name: string): void {
  const { DATABASE_URL: _, ...env } = process.env;
  execFileSync('npx', ['drizzle-kit', 'generate', '--name', name], {
    stdio: 'inherit',
    env: dialect === 'postgres' ? { ...env, DATABASE_URL: 'postgres://generate' } : env,
  });
}

/**
 * drizzle-kit cannot write STRICT, without which SQLite stores 'abc' in an integer column: this adds it to every table
 * that a new migration creates, rebuilt ones too. It compares the schema with the newest snapshot only, so the earlier
 * ones go.
 */
function tidy(added: readonly string[]): void {
  for (const name of added) {
    const file = join(migrations, 'sqlite', name);
    writeFileSync(file, strictTables(readFileSync(file, 'utf8')));
  }
  for (const dialect of dialects)
    for (const name of snapshotsOf(dialect).slice(0, -1)) rmSync(join(migrations, dialect, 'meta', name));
}

/** Marks new migrations beside which processes of the version before run on. */
function markExpansions(files: readonly string[]): void {
  for (const file of files) {
    const text = readFileSync(join(migrations, file), 'utf8');
    const contractions = findContractions(text);
    if (contractions.length > 0)
      throw new Error(`${file} does more than add something:\n${contractions.join('\n')}`);
    writeFileSync(join(migrations, file), `-- expands\n${text}`);
  }
}

function run(name: string, { expands }: { expands: boolean }): string[] {
  const before = { sqlite: filesOf('sqlite'), postgres: filesOf('postgres') };
  const snapshot = newestSnapshot();
  for (const dialect of dialects) generate(dialect, name);
  const addedTo = (dialect: Dialect) => filesOf(dialect).filter((file) => !before[dialect].includes(file));
  const added = addedTo('sqlite');
  const missing = added.flatMap((file) =>
    copiedFromNowhere(readFileSync(join(migrations, 'sqlite', file), 'utf8'), snapshot),
  );
  if (missing.length > 0)
    throw new Error(
      `The migration would copy ${missing.join(', ')} from a table that does not have it yet. Generate the migration that adds the column first, and then the one that changes checks or keys of its table.`,
    );
  tidy(added);
  const files = dialects.flatMap((dialect) => addedTo(dialect).map((file) => `${dialect}/${file}`));
  if (expands) markExpansions(files);
  return files;
}

const [name = '', mark] = process.argv.slice(2);
if (!/^[a-z][a-z0-9_]*$/.test(name) || (mark !== undefined && mark !== 'expands')) {
  console.error(
    'Name the migration in lower case: npm run db:generate attended_streams. If processes of the version before run on beside it: npm run db:generate attended_streams expands',
  );
  process.exit(2);
}
const saved = mkdtempSync(join(tmpdir(), 'migrations-'));
cpSync(migrations, saved, { recursive: true });
try {
  const added = run(name, { expands: mark === 'expands' });
  if (added.length === 0) console.info('The schema has not changed.');
  else console.info('Add to tests/db/landed-migrations.test.ts:');
  for (const file of added) {
    const hash = createHash('sha256')
      .update(readFileSync(join(migrations, file)))
      .digest('hex');
    console.info(`  '${file}': '${hash}',`);
  }
} catch (error) {
  rmSync(migrations, { recursive: true });
  cpSync(saved, migrations, { recursive: true });
  console.error(`${error instanceof Error ? error.message : error}\nNothing was written.`);
  process.exitCode = 1;
} finally {
  rmSync(saved, { recursive: true });
}
