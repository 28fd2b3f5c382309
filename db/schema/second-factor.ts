import { sql } from 'drizzle-orm';
import {
  check,
  index,
  int,
  oneOf,
  primaryKey,
  sealed,
  table,
  text,
  uniqueIndex,
  within,
} from '#db/dialect.ts';
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
    /** Time at which a first code proved that the app has the secret; before that it protects nothing. */
    confirmedAtMs: int('confirmed_at_ms'),
    /** The hash of the session that began it and alone may see the secret; null once the app is on. */
    begunBySession: text('begun_by_session'),
    /** The latest 30 seconds whose code was accepted, counted from 1970: no code works twice. */
    lastStep: int('last_step').notNull().default(0),
  },
  (t) => [index('authenticators_setup').on(t.createdAtMs).where(sql`confirmed_at_ms is null`)],
);

/** A code on paper, for users who lost the second factor. The row has only its hash. */
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

/** A key pair of a person's device or password manager (WebAuthn). Only the public key is here. */
export const passkeys = table(
  'passkeys',
  {
    id: text('id').primaryKey(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** Its owner's name for it. */
    name: text('name').notNull(),
    /** The authenticator's name for it, in base64url. */
    credentialId: text('credential_id').notNull(),
    /** In COSE, written in base64url. */
    publicKey: text('public_key').notNull(),
    /**
     * The passkey's own count of its uses; many always report 0. A number that does not grow means a copy.
     */
    counter: int('counter').notNull(),
    /** The transports by which a browser reaches it (`internal`, `usb`, …), with spaces between them. */
    transports: text('transports').notNull().default(''),
    createdAtMs: int('created_at_ms').notNull(),
    lastUsedAtMs: int('last_used_at_ms'),
  },
  (t) => [uniqueIndex('passkeys_credential').on(t.credentialId), index('passkeys_user').on(t.userId)],
);

export const challengePurposes = ['register', 'prove'] as const;
export type ChallengePurpose = (typeof challengePurposes)[number];

/**
 * The challenge that a passkey has to sign next in one browser. It is used up by the first answer, right or
 * wrong.
 */
export const passkeyChallenges = table(
  'passkey_challenges',
  {
    /** The hash of the token of the session, or of the pending sign-in, that it was made for. */
    heldBy: text('held_by').notNull(),
    purpose: oneOf('purpose', challengePurposes).notNull(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    challenge: text('challenge').notNull(),
    expiresAtMs: int('expires_at_ms').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.heldBy, t.purpose] }),
    index('passkey_challenges_user').on(t.userId),
    index('passkey_challenges_end').on(t.expiresAtMs),
    check('passkey_challenges_purpose', within(t.purpose, challengePurposes)),
  ],
);
