import { index, int, oneOf, table, text } from '#db/dialect.ts';
import { locales, users } from '#db/schema/user.ts';

/** What somebody wrote to the operator; without a user it came from a guest. */
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
  },
  (t) => [index('contact_messages_user').on(t.userId)],
);
