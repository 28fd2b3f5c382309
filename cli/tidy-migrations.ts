// Runs at the end of `npm run db:generate`. drizzle-kit cannot write STRICT, without which SQLite stores 'abc' in an
// integer column: this adds it to every table a generated SQLite migration creates, including rebuilt ones. It also
// removes the snapshots of earlier migrations, because drizzle-kit compares the schema with the newest one only.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { strictTables } from '#db/strict-tables.ts';

const migrations = new URL('../db/migrations/', import.meta.url).pathname;
for (const name of readdirSync(join(migrations, 'sqlite')).filter((entry) => entry.endsWith('.sql'))) {
  const file = join(migrations, 'sqlite', name);
  writeFileSync(file, strictTables(readFileSync(file, 'utf8')));
}

for (const dialect of ['sqlite', 'postgres']) {
  const meta = join(migrations, dialect, 'meta');
  const snapshots = readdirSync(meta).filter((name) => name.endsWith('_snapshot.json'));
  for (const name of snapshots.sort().slice(0, -1)) rmSync(join(meta, name));
}
