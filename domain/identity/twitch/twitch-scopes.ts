/** Scopes a streamer grants to read chatters, followers and subscriptions: rules need them. */
export const channelScopes = [
  'moderator:read:chatters',
  'moderator:read:followers',
  'channel:read:subscriptions',
] as const;

/** The scope that only rules for channel points need: to maintain custom rewards and settle redemptions. */
export const pointsScope = 'channel:manage:redemptions';

/** All scopes that rules can need. */
export const streamerScopes = [...channelScopes, pointsScope] as const;

/**
 * The scope by which broadcasters let the application's bots read their chat by events, and write for their chat alone,
 * in chats where the bots are not moderators; announcements need it everywhere. It is requested only if a chat cannot be
 * read otherwise, or shares its lines with other channels.
 */
export const botScope = 'channel:bot';

/** Scopes that a chat account grants: to read and write over IRC. */
export const ircScopes = ['chat:read', 'chat:edit'] as const;

/** Scopes of a chat account by which the application writes in its name, for one channel alone. */
const speechScopes = ['user:write:chat', 'user:bot'] as const;

/** Additional scopes of a chat account: to read by events, for more chats than IRC allows, and to write by Twitch's API. */
export const eventChatScopes = ['user:read:chat', ...speechScopes] as const;

/** The scope of a chat account by which the application announces in its name, in chats that it moderates. */
export const announcementScope = 'moderator:manage:announcements';

/** The scope by which a chat account pins a line of its own in chats that it moderates. Nothing depends on it. */
export const pinScope = 'moderator:manage:chat_messages';

/** All scopes that a chat account is asked for. */
export const chatAccountScopes = [...ircScopes, ...eventChatScopes, announcementScope, pinScope] as const;

const hasAll = (scopes: readonly string[], wanted: readonly string[]): boolean =>
  wanted.every((scope) => scopes.includes(scope));

export const canReadChatByEvents = (scopes: readonly string[]): boolean => hasAll(scopes, eventChatScopes);

/** Returns whether the application may write in a chat account's name. */
export const canWriteByApplication = (scopes: readonly string[]): boolean => hasAll(scopes, speechScopes);

/** The scope that anyone grants by signing in: the verified email address. Nothing else is needed. */
export const viewerScopes = ['user:read:email'] as const;

/** Returns the streamer scopes missing from a grant: for any rule, or also for one that asks for channel points. */
export const missingStreamerScopes = (
  scopes: readonly string[],
  { asksPoints = false }: { asksPoints?: boolean } = {},
): string[] => (asksPoints ? streamerScopes : channelScopes).filter((scope) => !scopes.includes(scope));

/** Returns whether a grant allows everything of use to us that another one allows. */
export const isAsCapable = (scopes: readonly string[], as: readonly string[]): boolean =>
  [...streamerScopes, botScope].every((scope) => scopes.includes(scope) || !as.includes(scope));
