// Makes a store that takes more than half of a small disk, migrates it, and prints the result:
// `migration-on-full-disk.ts FILE FOLDER`.
import { readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { migrateSqlite } from '#db/migrate.ts';
import { BetterSqlite } from '#tests/support/better-sqlite.ts';

const [file = '', folder = ''] = process.argv.slice(2);
const inStore = <T>(work: (store: BetterSqlite.Database) => T): T => {
  const store = new BetterSqlite(file);
  try {
    return work(store);
  } finally {
    store.close();
  }
};
inStore((store) => {
  store.exec('create table filling (text text)');
  store.prepare('insert into filling values (?)').run('x'.repeat(1_700_000));
  store.exec('create table __drizzle_migrations (id integer primary key, hash text, created_at numeric)');
});
const error = await migrateSqlite(file, null, folder).then(
  () => null,
  ({ message }: Error) => message,
);
const rows = inStore((store) => store.prepare('select count(*) from filling').pluck().get());
console.log(JSON.stringify({ error, files: readdirSync(dirname(file)), rows }));
