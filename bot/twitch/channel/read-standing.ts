import type { BotDeps } from '#bot/deps.ts';
import type { ReadStanding } from '#bot/steam/transfers/transfer-work.ts';
import type { TwitchApi } from '#bot/twitch/api.ts';
import { channelPointsApi } from '#bot/twitch/points/channel-points-api.ts';
import { type TwitchFault, twitchFaultOf } from '#bot/twitch/twitch-fault.ts';

type Deps = Pick<BotDeps, 'log'> & {
  api: Pick<TwitchApi, 'followedAtMs' | 'subscriberTier' | 'clientFor' | 'application'>;
  onFault(channelId: string, fault: TwitchFault): Promise<void>;
};

/** Reads one viewer's current standing. Facts that Twitch does not answer are left out. */
export function standingReader({ log, api, onFault }: Deps): ReadStanding {
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
    const [shown] = redemptions ?? [];
    return {
      ...(followedAtMs !== undefined && { follow: { followedAtMs } }),
      ...(tier !== undefined && { subscriber: { tier } }),
      ...(shown && { redemption: { status: shown.status } }),
    };
  };
}
