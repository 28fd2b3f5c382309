import { ApiClient, type ApiConfig } from '@twurple/api';
import { callTwitchApiRaw, type TwitchApiCallOptions } from '@twurple/api-call';
import type { BotDeps } from '#bot/deps.ts';
import { TokenBucket } from '#bot/twitch/pace/token-bucket.ts';

/** The request that Twurple passes to its limiter. */
interface LimiterRequest {
  options: TwitchApiCallOptions;
  clientId?: string;
  accessToken?: string;
  authorizationType?: string;
  fetchOptions?: ApiConfig['fetchOptions'];
}

/**
 * A Twurple client with our token bucket. After an answer without rate limit headers (401, or a gateway's 5xx),
 * Twurple's own limiter stops until a later call wakes it, and it retries a 429 without them in an endless loop.
 */
export class PacedClient extends ApiClient {
  protected override readonly _rateLimiter;

  constructor(config: ApiConfig, log: BotDeps['log']) {
    super(config);
    const bucket = new TokenBucket(log);
    this._rateLimiter = {
      request: ({ options, clientId, accessToken, authorizationType, fetchOptions }: LimiterRequest) =>
        bucket.spend(
          () => callTwitchApiRaw(options, clientId, accessToken, authorizationType, fetchOptions),
          isPatient(options),
        ),
      // Required by Twurple's interface, never called.
      clear() {},
      pause() {},
      resume() {},
    };
  }
}

/** A list of followers can have thousands of pages and is in no hurry; a question about one person is. */
const isPatient = ({ url, query }: TwitchApiCallOptions): boolean =>
  url === 'channels/followers' && query?.user_id === undefined;
