import type Driver from 'better-sqlite3';
import { loadSqliteDriver } from '#db/engine/sqlite-driver.ts';

/** The product's driver on this Node, for tests that read a database directly. */
export const BetterSqlite = await loadSqliteDriver();
export declare namespace BetterSqlite {
  type Database = Driver.Database;
  type Statement = Driver.Statement;
}
