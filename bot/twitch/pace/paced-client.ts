import { ApiClient, type ApiConfig } from '@twurple/api';
import { callTwitchApiRaw, type TwitchApiCallOptions } from '@twurple/api-call';
import { callInTime, LeaseLapsed } from '#bot/call-in-time.ts';
import type { BotDeps } from '#bot/deps.ts';
import { watchedResponse } from '#bot/twitch/answer-shapes.ts';
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
 * A Twurple client with our token bucket. After an answer without rate limit headers (401, or a gateway's
 * 5xx), Twurple's own limiter stops until a later call wakes it, and it retries a 429 without them in an
 * endless loop. Twurple also repeats every failed call, but not one that must not take effect twice, nor one that was
 * aborted at the lapse of its lease. `leftMs`: for how long calls may still be made.
 */
export class PacedClient extends ApiClient {
  protected override readonly _rateLimiter;

  constructor(config: ApiConfig, log: BotDeps['log'], owner: TokenOwner, leftMs: () => number) {
    super(config);
    const bucket = new TokenBucket(log, owner);
    this._rateLimiter = {
      async request({ options, clientId, accessToken, authorizationType, fetchOptions }: LimiterRequest) {
        const call = () => {
          // A getter, whose deadline begins when it is read.
          const { signal: limit, ...others } = fetchOptions ?? {};
          const make = (signal: AbortSignal) =>
            callTwitchApiRaw(options, clientId, accessToken, authorizationType, { ...others, signal });
          return traced(`twitch ${options.url}`, { method: options.method ?? 'GET' }, () =>
            callInTime(leftMs, make, limit),
          );
        };
        try {
          if (!isForOnce(options))
            return watchedResponse(options, await bucket.spend(call, patienceOf(options)));
          const response = await bucket.spend(call);
          if (response.status < 500) return watchedResponse(options, response);
          throw new TwitchFault('unavailable', `${options.url} answered ${response.status}`);
        } catch (error) {
          // A fault is counted as it is made: what is thrown becomes one only when the caller has it.
          if (isForOnce(options) || isOfLease(error)) return unreadable(twitchFaultOf(error));
          throw error;
        }
      },
      // Required by Twurple's interface, never called.
      clear() {},
      pause() {},
      resume() {},
    };
  }
}

/** The status of an answer that Twitch did not give: the caller has ended the call. */
export const NOT_ANSWERED = 499;

/** Twurple repeats a call that throws. It reads an answer that is an error, and throws what the reading does. */
const unreadable = (fault: TwitchFault): Response =>
  new Response(new ReadableStream({ start: (controller) => controller.error(fault) }), {
    status: NOT_ANSWERED,
  });

const isOfLease = (error: unknown): boolean =>
  error instanceof LeaseLapsed || (error instanceof TwitchFault && error.code === 'leaseEnded');

/** A chat line whose answer was lost may be in the chat. */
const isForOnce = ({ url, method }: Pick<TwitchApiCallOptions, 'url' | 'method'>): boolean =>
  (url === 'chat/messages' || url === 'chat/announcements') && method === 'POST';

/** Half the rate at which points refill (10 a second, twitchdev/issues 597). System time. */
const LISTS_EVERY_MS = 200;
/**
 * A little faster than points refill, so that a start also uses what the full bucket can spare. System time.
 */
const SUBSCRIPTIONS_EVERY_MS = 90;

/**
 * Returns how long a call that can wait is made after the previous one at the earliest, or null for one that
 * cannot wait. A list of followers can have thousands of pages, while a question about one person is urgent.
 * A start with a thousand channels makes thousands of subscriptions with the application's token, which also
 * reads who is live.
 */
export function patienceOf({ url, query, jsonBody }: Omit<TwitchApiCallOptions, 'type'>): number | null {
  if (url === 'channels/followers' && query?.user_id === undefined) return LISTS_EVERY_MS;
  // Twitch closes a socket that has no subscription ten seconds after its welcome.
  const { transport } = (jsonBody ?? {}) as { transport?: { method?: unknown } };
  return url === 'eventsub/subscriptions' && transport?.method !== 'websocket'
    ? SUBSCRIPTIONS_EVERY_MS
    : null;
}
