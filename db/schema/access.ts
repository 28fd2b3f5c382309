import { index, int, table, text, uniqueIndex } from '#db/dialect.ts';
import { users } from '#db/schema/user.ts';

/** A key for programs that act for a person. Its text is shown once; the row holds only its SHA-256. */
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

/** A short code that the companion app trades for an API token, once and soon. */
export const extensionCodes = table(
  'extension_codes',
  {
    codeHash: text('code_hash').primaryKey(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    createdAtMs: int('created_at_ms').notNull(),
    expiresAtMs: int('expires_at_ms').notNull(),
    usedAtMs: int('used_at_ms'),
  },
  (t) => [index('extension_codes_user').on(t.userId)],
);

/** How often somebody tried something of late. The table holds no addresses: who it was is in a keyed hash. */
export const attempts = table(
  'attempts',
  {
    /** The act and the keyed hash of who tries it. */
    key: text('key').primaryKey(),
    count: int('count').notNull(),
    /** When the counting begins anew. System time. */
    endsAtMs: int('ends_at_ms').notNull(),
  },
  (t) => [index('attempts_end').on(t.endsAtMs)],
);

/** Captcha solutions that were taken, kept until they would have expired: none is taken twice. */
export const spentCaptchas = table(
  'spent_captchas',
  {
    solutionHash: text('solution_hash').primaryKey(),
    expiresAtMs: int('expires_at_ms').notNull(),
  },
  (t) => [index('spent_captchas_expiry').on(t.expiresAtMs)],
);
