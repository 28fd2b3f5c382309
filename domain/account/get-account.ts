import { and, eq, isNotNull, isNull, sql } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { steamAccounts, type TwitchLinkState, twitchAccounts } from '#db/schema/account.ts';
import { type Locale, type Theme, users } from '#db/schema/user.ts';
import { statement } from '#db/statement.ts';
import { formatTradeLink } from '#domain/identity/steam/trade-link.ts';
import { missingStreamerScopes, pointsScope } from '#domain/identity/twitch/twitch-scopes.ts';
import { type MailKind, mutedIn } from '#domain/outbox/mail-kinds.ts';

/** The account data shown on a user's own pages. */
export interface Account {
  id: string;
  name: string;
  email: string;
  verified: boolean;
  hasPassword: boolean;
  /** True if signing in, and confirming an identity, takes a second factor. */
  hasSecondFactor: boolean;
  locale: Locale;
  theme: Theme;
  /** True if notifications are mailed; mail about the account itself always is. */
  notifyByMail: boolean;
  /** The kinds of notifications that are not mailed. */
  mutedMails: MailKind[];
  /** The time zone that the browser last reported. */
  timeZone: string | null;
  /** True if public pages show no name. */
  hidesName: boolean;
  /** The stored value, which a pending change may replace; see `getSendDelay`. */
  sendDelayHours: number;
  nextSendDelayHours: number | null;
  nextSendDelayAtMs: number | null;
  /** True while new rules and returns are frozen (`endFreeze`). */
  isFrozen: boolean;
  twitch: {
    id: string;
    login: string;
    displayName: string;
    pictureUrl: string;
    state: TwitchLinkState;
    /** True if Twitch shows no such account: it is suspended or deleted. */
    isMissing: boolean;
    scopes: string[];
    missingScopes: string[];
    /** True if Twitch is connected with every scope needed to track a channel. */
    streamingFeaturesEnabled: boolean;
    /** True if rules may ask for channel points as well. */
    pointsEnabled: boolean;
  } | null;
  steam: { steamId: string; personaName: string; tradeLink: string | null } | null;
}

// Every page reads the account, so these are only the columns that pages need, and no secrets.
const userColumns = {
  id: users.id,
  name: users.name,
  email: users.email,
  hasPassword: isNotNull(users.passwordHash).mapWith(Boolean),
  hasSecondFactor: isNotNull(users.secondFactorAtMs).mapWith(Boolean),
  isFrozen: isNotNull(users.frozenAtMs).mapWith(Boolean),
  emailVerifiedAtMs: users.emailVerifiedAtMs,
  locale: users.locale,
  theme: users.theme,
  notifyByMail: users.notifyByMail,
  mutedMails: users.mutedMails,
  timeZone: users.timeZone,
  hidesName: users.hidesName,
  sendDelayHours: users.sendDelayHours,
  nextSendDelayHours: users.nextSendDelayHours,
  nextSendDelayAtMs: users.nextSendDelayAtMs,
};
const { twitchId, login, displayName, pictureUrl, state, missingSinceMs, scopes } = twitchAccounts;
const twitchColumns = { twitchId, login, displayName, pictureUrl, state, missingSinceMs, scopes };
const { steamId, personaName, tradeToken } = steamAccounts;
const steamColumns = { steamId, personaName, tradeToken };

type TwitchRow = Pick<typeof twitchAccounts.$inferSelect, keyof typeof twitchColumns>;
type SteamRow = Pick<typeof steamAccounts.$inferSelect, keyof typeof steamColumns>;

const readAccount = statement('account', (q) =>
  q
    .select({ user: userColumns, twitch: twitchColumns, steam: steamColumns })
    .from(users)
    .leftJoin(twitchAccounts, eq(twitchAccounts.userId, users.id))
    .leftJoin(steamAccounts, eq(steamAccounts.userId, users.id))
    .where(and(eq(users.id, sql.placeholder('userId')), isNull(users.deletedAtMs))),
);

/** Returns an account with its linked accounts, or null. */
export async function getAccount(db: Database, input: { userId: string }): Promise<Account | null> {
  const [row] = await readAccount(db.read, { userId: input.userId });
  if (!row) return null;
  const { emailVerifiedAtMs, mutedMails, ...user } = row.user;
  return {
    ...user,
    verified: emailVerifiedAtMs !== null,
    mutedMails: mutedIn(mutedMails),
    twitch: row.twitch && describeTwitch(row.twitch),
    steam: row.steam && describeSteam(row.steam),
  };
}

function describeTwitch(row: TwitchRow): NonNullable<Account['twitch']> {
  const { twitchId: id, login, displayName, pictureUrl, state, scopes } = row;
  const missingScopes = missingStreamerScopes(scopes);
  const isMissing = row.missingSinceMs !== null;
  const streamingFeaturesEnabled = state === 'connected' && !isMissing && missingScopes.length === 0;
  const pointsEnabled = streamingFeaturesEnabled && scopes.includes(pointsScope);
  const link = { state, isMissing, scopes, missingScopes, streamingFeaturesEnabled, pointsEnabled };
  return { id, login, displayName, pictureUrl, ...link };
}

function describeSteam(row: SteamRow): NonNullable<Account['steam']> {
  const { steamId, personaName, tradeToken } = row;
  const tradeLink = tradeToken === null ? null : formatTradeLink({ steamId, token: tradeToken });
  return { steamId, personaName, tradeLink };
}
