import { sql } from 'drizzle-orm';
import { index, int, oneOf, table, text, uniqueIndex } from '#db/dialect.ts';
import { locales, users } from '#db/schema/user.ts';

/**
 * Messages to the operator; one without a user came from a guest. If nothing else proved the sender, a link
 * went to the address: the message reaches the operator when that is confirmed.
 */
export const contactMessages = table(
  'contact_messages',
  {
    id: text('id').primaryKey(),
    userId: text('user_id').references(() => users.id),
    name: text('name').notNull(),
    email: text('email').notNull(),
    message: text('message').notNull(),
    locale: oneOf('locale', locales).notNull(),
    createdAtMs: int('created_at_ms').notNull(),
    /** Hash of the link's token. */
    linkHash: text('link_hash'),
    linkExpiresAtMs: int('link_expires_at_ms'),
    confirmedAtMs: int('confirmed_at_ms'),
  },
  (t) => [
    index('contact_messages_user').on(t.userId),
    uniqueIndex('contact_messages_link').on(t.linkHash),
    index('contact_messages_unconfirmed')
      .on(t.linkExpiresAtMs)
      .where(sql`link_expires_at_ms is not null and confirmed_at_ms is null`),
  ],
);
