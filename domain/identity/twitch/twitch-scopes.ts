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
 * The scope by which broadcasters let the application's bots read their chat by events, in chats where the
 * bots are not moderators. It is requested only if a chat cannot be read otherwise.
 */
export const botScope = 'channel:bot';

/** Scopes that a chat account grants: to read and write over IRC. */
export const ircScopes = ['chat:read', 'chat:edit'] as const;

/**
 * Additional scopes of a chat account, for more chats than IRC allows: to read by events and write by
 * Twitch's API.
 */
export const eventChatScopes = ['user:read:chat', 'user:write:chat', 'user:bot'] as const;

/** The scope by which a chat account pins a line of its own in chats that it moderates. Nothing depends on it. */
export const pinScope = 'moderator:manage:chat_messages';

export const canReadChatByEvents = (scopes: readonly string[]): boolean =>
  eventChatScopes.every((scope) => scopes.includes(scope));

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
