import { index, int, oneOf, primaryKey, table, text, uniqueIndex } from '#db/dialect.ts';
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

/** The states of a program's request for access; only the first may change to the next two, and an allowed one to the last. */
export const accessRequestStates = ['waiting', 'allowed', 'refused', 'redeemed'] as const;
export type AccessRequestState = (typeof accessRequestStates)[number];

/** A request for access by a program without a keyboard (RFC 8628). Both codes are shown once; the row stores their SHA-256. */
export const accessRequests = table(
  'access_requests',
  {
    deviceCodeHash: text('device_code_hash').primaryKey(),
    userCodeHash: text('user_code_hash').notNull(),
    /** The name that the program gives itself. */
    program: text('program').notNull(),
    state: oneOf('state', accessRequestStates).notNull().default('waiting'),
    /** The account that decided; null until then. */
    userId: text('user_id').references(() => users.id, { onDelete: 'cascade' }),
    createdAtMs: int('created_at_ms').notNull(),
    expiresAtMs: int('expires_at_ms').notNull(),
    /** The pause that the program has to keep between two questions; longer after each that came too early. */
    pauseMs: int('pause_ms').notNull(),
    /** Time of its last question; null before the first. System time. */
    askedAtMs: int('asked_at_ms'),
  },
  (t) => [
    uniqueIndex('access_requests_user_code').on(t.userCodeHash),
    index('access_requests_user').on(t.userId),
    index('access_requests_end').on(t.expiresAtMs),
  ],
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
