// Reads an SQLite file and prints `read`, or why it cannot: `read-store.ts FILE`.
import { loadSqliteDriver } from '#db/engine/sqlite-driver.ts';

const BetterSqlite = await loadSqliteDriver();
const store = new BetterSqlite(process.argv[2] ?? '', { timeout: 0 });
try {
  store.prepare('select 1 from sqlite_master').get();
  process.stdout.write('read');
} catch (error) {
  process.stdout.write(String((error as { code?: unknown }).code));
} finally {
  store.close();
}
