import { sql } from 'drizzle-orm';
import { bool, check, index, int, oneOf, table, text, uniqueIndex, within } from '#db/dialect.ts';

export const locales = ['en', 'ru'] as const;
export type Locale = (typeof locales)[number];
export const themes = ['system', 'dark', 'light'] as const;
export type Theme = (typeof themes)[number];

/** An account. Everyone can be a viewer; linking Steam, and Twitch with the streamer scopes, makes a streamer. */
export const users = table(
  'users',
  {
    id: text('id').primaryKey(),
    name: text('name').notNull(),
    email: text('email').notNull(),
    /** argon2id in PHC form; null for users who signed up with Twitch and set no password. */
    passwordHash: text('password_hash'),
    emailVerifiedAtMs: int('email_verified_at_ms'),
    locale: oneOf('locale', locales).notNull().default('en'),
    /** No check constraint: adding one would make SQLite rebuild a table everything refers to. */
    theme: oneOf('theme', themes).notNull().default('system'),
    /** True if notifications (a reward is ready) are mailed; mail about the account itself always is. */
    notifyByMail: bool('notify_by_mail').notNull().default(true),
    /** The kinds of notifications that are not mailed, with spaces between them. */
    mutedMails: text('muted_mails').notNull().default(''),
    /** The time zone that the browser last reported; mails are written in it. */
    timeZone: text('time_zone'),
    /** True if public pages say "a viewer" instead of the name. */
    hidesName: bool('hides_name').notNull().default(false),
    /**
     * Hours by which rules that the account opens delay their items, and a shorter time that applies later.
     */
    sendDelayHours: int('send_delay_hours').notNull().default(0),
    nextSendDelayHours: int('next_send_delay_hours'),
    nextSendDelayAtMs: int('next_send_delay_at_ms'),
    createdAtMs: int('created_at_ms').notNull(),
    /** Since when it has a second factor. Written together with the factors. */
    secondFactorAtMs: int('second_factor_at_ms'),
    /** Since when its new rules and its returns are frozen, until its owner ends that; null if they are not. */
    frozenAtMs: int('frozen_at_ms'),
    /** Set by a freeze: time of the act that its owner disowned. */
    disownedFromMs: int('disowned_from_ms'),
    /** Set when the account was deleted: name, address and password are erased, ledger and history stay. */
    deletedAtMs: int('deleted_at_ms'),
  },
  (t) => [
    uniqueIndex('users_email').on(sql`lower(${t.email})`),
    check('users_locale', within(t.locale, locales)),
  ],
);

/** A signed-in browser. The cookie holds the token, the row only its SHA-256. */
export const sessions = table(
  'sessions',
  {
    tokenHash: text('token_hash').primaryKey(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    userAgent: text('user_agent').notNull().default(''),
    createdAtMs: int('created_at_ms').notNull(),
    lastSeenAtMs: int('last_seen_at_ms').notNull(),
    expiresAtMs: int('expires_at_ms').notNull(),
    /**
     * Time at which its owner last proved who they are: by signing in, unless Twitch answered silently, or on
     * request.
     */
    confirmedAtMs: int('confirmed_at_ms'),
    /** The hash of its token before this one, and when that ended: requests with it may still be under way. */
    replacedHash: text('replaced_hash'),
    rotatedAtMs: int('rotated_at_ms'),
  },
  (t) => [
    index('sessions_user').on(t.userId),
    index('sessions_end').on(t.expiresAtMs),
    index('sessions_replaced').on(t.replacedHash),
  ],
);

export const emailTokenPurposes = ['verify', 'reset', 'change', 'disown'] as const;
export type EmailTokenPurpose = (typeof emailTokenPurposes)[number];

/** A single-use link in a mail, hashed at rest. */
export const emailTokens = table(
  'email_tokens',
  {
    tokenHash: text('token_hash').primaryKey(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    purpose: oneOf('purpose', emailTokenPurposes).notNull(),
    /** The address it was sent to; for `change`, the new address. */
    email: text('email').notNull(),
    expiresAtMs: int('expires_at_ms').notNull(),
    usedAtMs: int('used_at_ms'),
    /** For `disown`: the time of the act that the mail is about. */
    actAtMs: int('act_at_ms'),
  },
  (t) => [
    index('email_tokens_user').on(t.userId),
    index('email_tokens_end').on(t.expiresAtMs),
    check('email_tokens_purpose', within(t.purpose, emailTokenPurposes)),
  ],
);
