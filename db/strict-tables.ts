/** SQLite DDL with STRICT on every table it creates. */
export const strictTables = (ddl: string): string =>
  ddl.replace(/(CREATE TABLE [^;]*\n\))(?=;)/g, '$1 STRICT');
