import type { BotDeps } from '#bot/deps.ts';
import type { ReadStanding } from '#bot/steam/transfers/transfer-work.ts';
import type { TwitchApi } from '#bot/twitch/api.ts';
import { channelPointsApi } from '#bot/twitch/points/channel-points-api.ts';
import { type TwitchFault, twitchFaultOf } from '#bot/twitch/twitch-fault.ts';
import type { SubscriberTier } from '#db/schema/rule.ts';

interface Viewer {
  channelId: string;
  twitchId: string;
}

type Deps = Pick<BotDeps, 'log'> & {
  /** Those who read whole lists, which may be older than an answer about one viewer. */
  follows: { handleNoFollow(viewer: Viewer): void };
  subscribers: { handleAnswer(status: Viewer & { tier: SubscriberTier | null }): void };
  api: Pick<TwitchApi, 'followedAtMs' | 'subscriberTier' | 'clientFor' | 'application'>;
  onFault(channelId: string, fault: TwitchFault): Promise<void>;
};

/** Reads one viewer's current standing. Facts that Twitch does not answer are left out. */
export function standingReader({ log, api, onFault, follows, subscribers }: Deps): ReadStanding {
  const points = channelPointsApi(api);
  const readOrSkip = async <Answer>(
    channelId: string,
    request: Promise<Answer>,
  ): Promise<Answer | undefined> => {
    try {
      return await request;
    } catch (error) {
      const fault = twitchFaultOf(error);
      log.warn({ channelId, code: fault.code, err: fault }, "could not read a viewer's standing");
      await onFault(channelId, fault);
      return undefined;
    }
  };
  return async ({ channelId, twitchId, checks }) => {
    const { redemption } = checks;
    const [followedAtMs, tier, redemptions] = await Promise.all([
      checks.follow ? readOrSkip(channelId, api.followedAtMs(channelId, twitchId)) : undefined,
      checks.subscriber ? readOrSkip(channelId, api.subscriberTier(channelId, twitchId)) : undefined,
      redemption
        ? readOrSkip(channelId, points.read(channelId, redemption.twitchRewardId, [redemption.id]))
        : undefined,
    ]);
    const viewer = { channelId, twitchId };
    if (followedAtMs === null) follows.handleNoFollow(viewer);
    if (tier !== undefined) subscribers.handleAnswer({ ...viewer, tier });
    const [shown] = redemptions ?? [];
    return {
      ...(followedAtMs !== undefined && { follow: { followedAtMs } }),
      ...(tier !== undefined && { subscriber: { tier } }),
      ...(shown && { redemption: { status: shown.status } }),
    };
  };
}
