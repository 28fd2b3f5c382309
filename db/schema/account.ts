import {
  bool,
  check,
  index,
  int,
  json,
  oneOf,
  sealed,
  table,
  text,
  uniqueIndex,
  within,
} from '#db/dialect.ts';
import { users } from '#db/schema/user.ts';

export const twitchLinkStates = ['connected', 'restricted'] as const;
export type TwitchLinkState = (typeof twitchLinkStates)[number];

/** A linked Twitch account. The numeric id is the identity; names are for display. Tokens are encrypted. */
export const twitchAccounts = table(
  'twitch_accounts',
  {
    twitchId: text('twitch_id').primaryKey(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id),
    login: text('login').notNull(),
    displayName: text('display_name').notNull(),
    pictureUrl: text('picture_url').notNull().default(''),
    accessTokenSealed: text('access_token_sealed').notNull(),
    refreshTokenSealed: text('refresh_token_sealed').notNull(),
    scopes: json('scopes').$type<string[]>().notNull(),
    tokenObtainedAtMs: int('token_obtained_at_ms').notNull(),
    tokenLifetimeSeconds: int('token_lifetime_seconds').notNull(),
    /** `restricted`: the grant was revoked or lost a scope; the user has to reconnect. */
    state: oneOf('state', twitchLinkStates).notNull().default('connected'),
    /** Since when Twitch shows no such account: it is suspended or deleted. Null while it does. Domain time. */
    missingSinceMs: int('missing_since_ms'),
    linkedAtMs: int('linked_at_ms').notNull(),
  },
  (t) => [
    uniqueIndex('twitch_accounts_user').on(t.userId),
    index('twitch_accounts_login').on(t.login),
    check('twitch_accounts_state', within(t.state, twitchLinkStates)),
  ],
);

/** The chat account, connected by the operator. */
export const chatAccounts = table('chat_accounts', {
  twitchId: text('twitch_id').primaryKey(),
  login: text('login').notNull(),
  accessTokenSealed: text('access_token_sealed').notNull(),
  refreshTokenSealed: text('refresh_token_sealed').notNull(),
  scopes: json('scopes').$type<string[]>().notNull(),
  tokenObtainedAtMs: int('token_obtained_at_ms').notNull(),
  tokenLifetimeSeconds: int('token_lifetime_seconds').notNull(),
  broken: bool('broken').notNull().default(false),
});

/** A linked Steam account. */
export const steamAccounts = table(
  'steam_accounts',
  {
    steamId: text('steam_id').primaryKey(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id),
    personaName: text('persona_name').notNull().default(''),
    /** The token part of the trade link; the partner part is the SteamID64 itself. */
    tradeToken: sealed('trade_token', 'steam_accounts.trade_token'),
    linkedAtMs: int('linked_at_ms').notNull(),
    /** The mail that notified its owner of the link; null if none did. */
    noticeMailId: text('notice_mail_id'),
  },
  (t) => [uniqueIndex('steam_accounts_user').on(t.userId)],
);

/** Nonces of OpenID responses that were already used. */
export const openIdNonces = table(
  'open_id_nonces',
  {
    nonce: text('nonce').primaryKey(),
    seenAtMs: int('seen_at_ms').notNull(),
  },
  (t) => [index('open_id_nonces_seen').on(t.seenAtMs)],
);
