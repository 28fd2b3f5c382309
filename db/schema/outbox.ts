import { sql } from 'drizzle-orm';
import { index, int, json, oneOf, table, text } from '#db/dialect.ts';
import { locales } from '#db/schema/user.ts';

/** Events for live pages, written in the action's own transaction and read by id. */
export const events = table(
  'events',
  {
    /** uuidv7: ordered by time, so that a reader can resume after the last id it saw. */
    id: text('id').primaryKey(),
    userId: text('user_id').notNull(),
    kind: text('kind').notNull(),
    subjectId: text('subject_id').notNull(),
    atMs: int('at_ms').notNull(),
  },
  (t) => [index('events_at').on(t.atMs), index('events_user').on(t.userId, t.id)],
);

/** Time of the operator's last mail about something that keeps going wrong. */
export const alarms = table('alarms', {
  /** The subject of the alarm; there are few of them. */
  key: text('key').primaryKey(),
  mailedAtMs: int('mailed_at_ms').notNull(),
});

/** Mail to send, written in the action's own transaction; a worker sends it. */
export const mails = table(
  'mails',
  {
    id: text('id').primaryKey(),
    recipient: text('recipient').notNull(),
    template: text('template').notNull(),
    locale: oneOf('locale', locales).notNull(),
    values: json('values').$type<Record<string, string>>().notNull(),
    createdAtMs: int('created_at_ms').notNull(),
    runAtMs: int('run_at_ms').notNull(),
    attempts: int('attempts').notNull().default(0),
    leaseUntilMs: int('lease_until_ms').notNull().default(0),
    sentAtMs: int('sent_at_ms'),
    lastError: text('last_error'),
  },
  (t) => [
    index('mails_due').on(t.runAtMs).where(sql`sent_at_ms is null`),
    index('mails_created').on(t.createdAtMs),
    index('mails_recipient').on(t.recipient),
  ],
);
