// Migrates a store and kills itself before one of its commands: `killed-migration.ts FILE FOLDER COMMAND-NUMBER`.
import { migrateSqlite } from '#db/migrate.ts';
import { loadSqliteDriver } from '#db/sqlite-driver.ts';

const [file = '', folder = '', at = ''] = process.argv.slice(2);
const { prototype } = await loadSqliteDriver();
const { exec } = prototype;
let commands = 0;
prototype.exec = function (this: InstanceType<Awaited<ReturnType<typeof loadSqliteDriver>>>, source: string) {
  commands += 1;
  if (commands === Number(at)) process.kill(process.pid, 'SIGKILL');
  return exec.call(this, source);
};
await migrateSqlite(file, null, folder);
