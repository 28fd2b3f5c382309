import { ApiClient, type ApiConfig } from '@twurple/api';
import { callTwitchApiRaw, type TwitchApiCallOptions } from '@twurple/api-call';
import type { BotDeps } from '#bot/deps.ts';
import { TokenBucket } from '#bot/twitch/pace/token-bucket.ts';

/** What Twurple hands to its limiter. */
interface LimiterRequest {
  options: TwitchApiCallOptions;
  clientId?: string;
  accessToken?: string;
  authorizationType?: string;
  fetchOptions?: ApiConfig['fetchOptions'];
}

/**
 * Twurple's client with a bucket of ours. Twurple's own limiter stops for good after an answer without rate headers (as
 * a 401 or a gateway's 5xx has none), until some later call wakes it, and repeats a 429 without them in an endless loop.
 */
export class PacedClient extends ApiClient {
  protected override readonly _rateLimiter;

  constructor(config: ApiConfig, log: BotDeps['log']) {
    super(config);
    const bucket = new TokenBucket(log);
    this._rateLimiter = {
      request: ({ options, clientId, accessToken, authorizationType, fetchOptions }: LimiterRequest) =>
        bucket.spend(() => callTwitchApiRaw(options, clientId, accessToken, authorizationType, fetchOptions)),
      // Twurple has these in its interface; nothing calls them.
      clear() {},
      pause() {},
      resume() {},
    };
  }
}
