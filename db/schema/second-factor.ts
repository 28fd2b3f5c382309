import { sql } from 'drizzle-orm';
import { index, int, sealed, table, text } from '#db/dialect.ts';
import { users } from '#db/schema/user.ts';

/** An app that shows a code every 30 seconds (TOTP), from a secret that it shares with us. */
export const authenticators = table(
  'authenticators',
  {
    userId: text('user_id')
      .primaryKey()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** In base32, as the app gets it. */
    secret: sealed('secret', 'authenticators.secret').notNull(),
    createdAtMs: int('created_at_ms').notNull(),
    /** When a first code proved that the app has the secret; before that it protects nothing. */
    confirmedAtMs: int('confirmed_at_ms'),
    /** The hash of the session that began it and alone may see the secret; null once the app is on. */
    begunBySession: text('begun_by_session'),
    /** The latest 30 seconds whose code was accepted, counted from 1970: no code works twice. */
    lastStep: int('last_step').notNull().default(0),
  },
  (t) => [index('authenticators_setup').on(t.createdAtMs).where(sql`confirmed_at_ms is null`)],
);

/** A code on paper, for whoever lost the second factor. The row has only its hash. */
export const recoveryCodes = table(
  'recovery_codes',
  {
    codeHash: text('code_hash').primaryKey(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    createdAtMs: int('created_at_ms').notNull(),
    usedAtMs: int('used_at_ms'),
  },
  (t) => [index('recovery_codes_user').on(t.userId)],
);

/** A sign-in that waits for its second factor. The browser has the token, the row only its hash. */
export const pendingSignIns = table(
  'pending_sign_ins',
  {
    tokenHash: text('token_hash').primaryKey(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    expiresAtMs: int('expires_at_ms').notNull(),
  },
  (t) => [index('pending_sign_ins_user').on(t.userId), index('pending_sign_ins_end').on(t.expiresAtMs)],
);
