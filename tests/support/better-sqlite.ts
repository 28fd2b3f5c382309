import type Driver from 'better-sqlite3';
import { loadSqliteDriver } from '#db/sqlite-driver.ts';

/** The driver that the product uses on this Node, for tests that look into a store past the product. */
export const BetterSqlite = await loadSqliteDriver();
export declare namespace BetterSqlite {
  type Database = Driver.Database;
  type Statement = Driver.Statement;
}
