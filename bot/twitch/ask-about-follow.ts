import type { BotDeps } from '#bot/deps.ts';
import type { TwitchApi } from '#bot/twitch/api.ts';
import { type TwitchFault, twitchFaultOf } from '#bot/twitch/twitch-fault.ts';
import type { ReadFollow } from '#bot/workers/transfer-work.ts';

type Deps = Pick<BotDeps, 'log'> & {
  api: Pick<TwitchApi, 'followedAtMs'>;
  onFault(channelId: string, fault: TwitchFault): Promise<void>;
};

/** Asks about one viewer at a time, now. Null: Twitch does not say, whatever the reason. */
export function askAboutFollow({ log, api, onFault }: Deps): ReadFollow {
  return async (channelId, twitchId) => {
    try {
      return { followedAtMs: await api.followedAtMs(channelId, twitchId) };
    } catch (error) {
      const fault = twitchFaultOf(error);
      log.warn({ channelId, code: fault.code, err: fault }, 'a follow could not be read');
      await onFault(channelId, fault);
      return null;
    }
  };
}
