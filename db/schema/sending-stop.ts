import { sql } from 'drizzle-orm';
import { index, int, table, text } from '#db/dialect.ts';

/**
 * Periods in which the operator let no bot send offers, with the accounts that began and ended them. The last
 * may still be in force.
 */
export const sendingStops = table(
  'sending_stops',
  {
    id: text('id').primaryKey(),
    /** Domain time. */
    stoppedAtMs: int('stopped_at_ms').notNull(),
    /** System time: how long claim clocks stand still is measured in it, as with outages. */
    stoppedSystemMs: int('stopped_system_ms').notNull(),
    stoppedBy: text('stopped_by').notNull(),
    /** Domain time; null while it is in force. */
    resumedAtMs: int('resumed_at_ms'),
    resumedBy: text('resumed_by'),
  },
  (t) => [index('sending_stops_open').on(t.stoppedSystemMs).where(sql`resumed_at_ms is null`)],
);
