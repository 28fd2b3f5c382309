// drizzle-kit cannot write STRICT, without which SQLite stores 'abc' in an integer column. This adds it to every
// table a generated SQLite migration creates, including rebuilt ones. Runs at the end of `npm run db:generate`.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { strictTables } from '#db/strict-tables.ts';

const folder = new URL('../db/migrations/sqlite/', import.meta.url).pathname;
for (const name of readdirSync(folder).filter((entry) => entry.endsWith('.sql'))) {
  const file = join(folder, name);
  writeFileSync(file, strictTables(readFileSync(file, 'utf8')));
}
