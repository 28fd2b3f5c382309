import { ApiClient, type ApiConfig } from '@twurple/api';
import { callTwitchApiRaw, type TwitchApiCallOptions } from '@twurple/api-call';
import type { BotDeps } from '#bot/deps.ts';
import type { TokenOwner } from '#bot/twitch/pace/points-left.ts';
import { TokenBucket } from '#bot/twitch/pace/token-bucket.ts';
import { TwitchFault, twitchFaultOf } from '#bot/twitch/twitch-fault.ts';
import { traced } from '#platform/tracing.ts';

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
 * Twurple's own limiter stops until a later call wakes it, and it retries a 429 without them in an endless loop. It also
 * repeats whatever fails; a call that must not take effect twice is made once, and its repetitions fail like it.
 */
export class PacedClient extends ApiClient {
  protected override readonly _rateLimiter;

  constructor(config: ApiConfig, log: BotDeps['log'], owner: TokenOwner) {
    super(config);
    const bucket = new TokenBucket(log, owner);
    /** By options, which are the same object in each repetition. */
    const failed = new WeakMap<TwitchApiCallOptions, TwitchFault>();
    this._rateLimiter = {
      async request({ options, clientId, accessToken, authorizationType, fetchOptions }: LimiterRequest) {
        const call = () =>
          traced(`twitch ${options.url}`, { method: options.method ?? 'GET' }, () =>
            callTwitchApiRaw(options, clientId, accessToken, authorizationType, fetchOptions),
          );
        const before = failed.get(options);
        if (before) throw before;
        if (!isForOnce(options)) return bucket.spend(call, patienceOf(options));
        try {
          const response = await bucket.spend(call);
          if (response.status < 500) return response;
          throw new TwitchFault('unavailable', `${options.url} answered ${response.status}`);
        } catch (error) {
          const fault = twitchFaultOf(error);
          failed.set(options, fault);
          throw fault;
        }
      },
      // Required by Twurple's interface, never called.
      clear() {},
      pause() {},
      resume() {},
    };
  }
}

/** A chat line whose answer was lost may be in the chat. */
const isForOnce = ({ url, method }: Pick<TwitchApiCallOptions, 'url' | 'method'>): boolean =>
  url === 'chat/messages' && method === 'POST';

/** Half of what refills (10 points a second, twitchdev/issues 597). System time. */
const LISTS_EVERY_MS = 200;
/** A little more than what refills, so that a start also uses what the full bucket can spare. System time. */
const SUBSCRIPTIONS_EVERY_MS = 90;

/**
 * How long at least after another one a call is made that can wait, or null for one that cannot. A list of followers can
 * have thousands of pages, while a question about one person is in a hurry. A start with a thousand channels makes
 * thousands of subscriptions with the application's token, which also reads who is live.
 */
export function patienceOf({ url, query, jsonBody }: Omit<TwitchApiCallOptions, 'type'>): number | null {
  if (url === 'channels/followers' && query?.user_id === undefined) return LISTS_EVERY_MS;
  // A socket is closed that has no subscription ten seconds after its welcome.
  const { transport } = (jsonBody ?? {}) as { transport?: { method?: unknown } };
  return url === 'eventsub/subscriptions' && transport?.method !== 'websocket'
    ? SUBSCRIPTIONS_EVERY_MS
    : null;
}
