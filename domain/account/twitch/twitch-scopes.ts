/** Scopes a streamer grants to read chatters, followers and subscriptions and to settle redemptions. */
export const streamerScopes = [
  'moderator:read:chatters',
  'moderator:read:followers',
  'channel:read:subscriptions',
  'channel:manage:redemptions',
] as const;

/** Scopes anyone grants by signing in: the verified email address. */
export const viewerScopes = ['user:read:email'] as const;

/** Returns the streamer scopes missing from a grant. */
export const missingStreamerScopes = (scopes: readonly string[]): string[] =>
  streamerScopes.filter((scope) => !scopes.includes(scope));
