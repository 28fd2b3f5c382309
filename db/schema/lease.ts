import { int, table, text } from '#db/dialect.ts';

/**
 * The parts of a bot's work that one process does at a time, such as `steam` or `chat:1234`, and who does them. The
 * times are the database's own, because the clocks of processes differ.
 */
export const leases = table('leases', {
  name: text('name').primaryKey(),
  /** Null after its holder gave it up. */
  holder: text('holder'),
  /** Grows whenever the holder changes, so that what an earlier holder still does can be told apart. */
  epoch: int('epoch').notNull().default(0),
  /** Time at which the present holder took it. */
  takenAtMs: int('taken_at_ms').notNull().default(0),
  untilMs: int('until_ms').notNull().default(0),
  /** URL at which the holder's process answers, and its version, for the operator. */
  address: text('address').notNull().default(''),
  version: text('version').notNull().default(''),
});

/** The processes that share the slots of channels, each as long as it says so. The database's time. */
export const sharers = table('sharers', {
  holder: text('holder').primaryKey(),
  untilMs: int('until_ms').notNull(),
  /** URL at which the process answers, and its version, for the operator. */
  address: text('address').notNull(),
  version: text('version').notNull(),
});
