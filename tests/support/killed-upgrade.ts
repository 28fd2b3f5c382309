// Upgrades a store and kills itself at one of the points of that: `killed-upgrade.ts sqlite|postgres FILE-OR-URL POINT`.
// Without a point it says at the end which there are.
import pg from 'pg';
import { loadSqliteDriver } from '#db/engine/sqlite-driver.ts';
import { migratePostgres, migrateSqlite } from '#db/migrate.ts';
import { testVault } from '#tests/support/database.ts';

const [dialect, where = '', chosen] = process.argv.slice(2);
const points: string[] = [];

function pass(point: string): void {
  points.push(point.replace(/\s+/g, ' '));
  if (points.length - 1 === Number(chosen)) process.kill(process.pid, 'SIGKILL');
}

/** Passes a point before each call of a method, and one after. */
function pointsAround(prototype: object, method: string, textOf: (self: unknown, text: unknown) => string) {
  const methods = prototype as Record<string, (...values: unknown[]) => unknown>;
  const original = methods[method];
  methods[method] = function (this: unknown, ...values: unknown[]) {
    const text = textOf(this, values[0]);
    pass(`before ${text}`);
    const answer = original?.apply(this, values);
    pass(`after ${text}`);
    return answer;
  };
}

if (dialect === 'sqlite') {
  const BetterSqlite = await loadSqliteDriver();
  const memory = new BetterSqlite(':memory:');
  const statements = Object.getPrototypeOf(memory.prepare('select 1')) as object;
  memory.close();
  pointsAround(BetterSqlite.prototype, 'exec', (_, text) => String(text));
  for (const method of ['run', 'get', 'all'])
    pointsAround(statements, method, (self) => (self as { source: string }).source);
  await migrateSqlite(where, testVault);
} else {
  // After here means that it is sent, and not answered yet.
  pointsAround(pg.Client.prototype, 'query', (_, text) => String(text));
  await migratePostgres(where, testVault);
}
console.log(JSON.stringify(points));
