import { index, int, table, text, uniqueIndex } from '#db/dialect.ts';
import { users } from '#db/schema/user.ts';

/** A key that a program acts with for its owner. The program holds the token, the row only its SHA-256. */
export const apiTokens = table(
  'api_tokens',
  {
    id: text('id').primaryKey(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    name: text('name').notNull(),
    tokenHash: text('token_hash').notNull(),
    createdAtMs: int('created_at_ms').notNull(),
    lastUsedAtMs: int('last_used_at_ms'),
  },
  (t) => [uniqueIndex('api_tokens_hash').on(t.tokenHash), index('api_tokens_user').on(t.userId)],
);

/** A code that a person types into the companion app, once and within minutes, hashed at rest. */
export const extensionCodes = table(
  'extension_codes',
  {
    codeHash: text('code_hash').primaryKey(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    createdAtMs: int('created_at_ms').notNull(),
    expiresAtMs: int('expires_at_ms').notNull(),
  },
  (t) => [index('extension_codes_user').on(t.userId)],
);
