/** What a streamer grants so that chatters, followers and subscriptions can be read and redemptions answered. */
export const streamerScopes = [
  'moderator:read:chatters',
  'moderator:read:followers',
  'channel:read:subscriptions',
  'channel:manage:redemptions',
] as const;

/** What anyone grants by signing in: the verified e-mail address. */
export const viewerScopes = ['user:read:email'] as const;

/** Which of the streamer's permissions a grant lacks. */
export const missingStreamerScopes = (scopes: readonly string[]): string[] =>
  streamerScopes.filter((scope) => !scopes.includes(scope));
