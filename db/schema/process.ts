import { int, table, text } from '#db/dialect.ts';

/**
 * The web and bot processes that run, so that no migration changes what one of them relies on. Each says so again and
 * again; the time is the database's own.
 */
export const processes = table('processes', {
  /** Unique, with the machine's name and the process's number for the operator. */
  id: text('id').primaryKey(),
  role: text('role').$type<'web' | 'bot'>().notNull(),
  version: text('version').notNull(),
  /** The time at which the newest migration that it knows was generated. */
  schema: int('schema').notNull(),
  untilMs: int('until_ms').notNull(),
  /** The BOT_ROLES of a bot, with commas between, and the URL at which it answers; empty for others and before they were stored. */
  roles: text('roles').notNull().default(''),
  address: text('address').notNull().default(''),
});
