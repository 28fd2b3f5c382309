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

/** Scopes anyone grants by signing in: the verified email address. Nothing else needs it. */
export const viewerScopes = ['user:read:email'] as const;

/** Returns the streamer scopes missing from a grant: for any rule, or also for one that asks for channel points. */
export const missingStreamerScopes = (
  scopes: readonly string[],
  { asksPoints = false }: { asksPoints?: boolean } = {},
): string[] => (asksPoints ? streamerScopes : channelScopes).filter((scope) => !scopes.includes(scope));

/** Whether a grant allows everything that rules can need and another one allows. */
export const isAsCapable = (scopes: readonly string[], as: readonly string[]): boolean =>
  streamerScopes.every((scope) => scopes.includes(scope) || !as.includes(scope));
