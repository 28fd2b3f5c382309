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
 * The scope by which broadcasters let the application's bots read their chat by events, where those are no moderators. It
 * is asked for only where a chat is not read otherwise.
 */
export const botScope = 'channel:bot';

/** Scopes that a chat account grants: to read and write over IRC. */
export const ircScopes = ['chat:read', 'chat:edit'] as const;

/** What a chat account grants besides, for more chats than IRC allows: to read by events and write by Twitch's API. */
export const eventChatScopes = ['user:read:chat', 'user:write:chat', 'user:bot'] as const;

export const canReadChatByEvents = (scopes: readonly string[]): boolean =>
  eventChatScopes.every((scope) => scopes.includes(scope));

/** Scopes anyone grants by signing in: the verified email address. Nothing else needs it. */
export const viewerScopes = ['user:read:email'] as const;

/** Returns the streamer scopes missing from a grant: for any rule, or also for one that asks for channel points. */
export const missingStreamerScopes = (
  scopes: readonly string[],
  { asksPoints = false }: { asksPoints?: boolean } = {},
): string[] => (asksPoints ? streamerScopes : channelScopes).filter((scope) => !scopes.includes(scope));

/** Whether a grant allows everything that we can need and another one allows. */
export const isAsCapable = (scopes: readonly string[], as: readonly string[]): boolean =>
  [...streamerScopes, botScope].every((scope) => scopes.includes(scope) || !as.includes(scope));
