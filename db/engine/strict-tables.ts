/** Adds STRICT to every CREATE TABLE in SQLite DDL. */
export const strictTables = (ddl: string): string =>
  ddl.replace(/(CREATE TABLE [^;]*\n\))(?=;)/g, '$1 STRICT');
