import { index, int, primaryKey, table, text, uniqueIndex } from '#db/dialect.ts';
import { users } from '#db/schema/user.ts';

/** An API token of a program that acts for a user. Its text is shown once; the row stores only its SHA-256. */
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

/** A short code the companion app exchanges once for an API token. */
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
  (t) => [index('extension_codes_user').on(t.userId), index('extension_codes_end').on(t.expiresAtMs)],
);

/** Counts recent attempts. Stores no addresses: the subject is in a keyed hash. */
export const attempts = table(
  'attempts',
  {
    /** The action and the keyed hash of who attempts it. */
    key: text('key').primaryKey(),
    count: int('count').notNull(),
    /** End of the window, when counting restarts. System time. */
    endsAtMs: int('ends_at_ms').notNull(),
  },
  (t) => [index('attempts_end').on(t.endsAtMs)],
);

/**
 * The number of event streams that each web process has open for whoever has several. Stores no addresses: they are in
 * a keyed hash. The database's time.
 */
export const openStreams = table(
  'open_streams',
  {
    key: text('key').notNull(),
    process: text('process').notNull(),
    streams: int('streams').notNull(),
    /** The process writes it anew until then. */
    untilMs: int('until_ms').notNull(),
  },
  (t) => [primaryKey({ columns: [t.key, t.process] }), index('open_streams_end').on(t.untilMs)],
);

/** Used captcha solutions, stored until they expire, so that none is accepted twice. */
export const spentCaptchas = table(
  'spent_captchas',
  {
    solutionHash: text('solution_hash').primaryKey(),
    expiresAtMs: int('expires_at_ms').notNull(),
  },
  (t) => [index('spent_captchas_expiry').on(t.expiresAtMs)],
);
