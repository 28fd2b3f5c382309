import { AsyncLocalStorage } from 'node:async_hooks';
import Request from 'request';
import TradeOfferManager from 'steam-tradeoffer-manager';
import SteamUser from 'steam-user';
import SteamCommunity from 'steamcommunity';
import { LeaseLapsed } from '#bot/call-in-time.ts';
import type { Log } from '#bot/log.ts';
import { browserHeaders } from '#bot/steam/browser-headers.ts';

/** One account's clients from the three Steam packages. */
export interface SteamClients {
  user: SteamUser;
  community: SteamCommunity;
  manager: TradeOfferManager;
  /** Returns how long Steam asked to wait with its last answer 429; 0 if it did not say. */
  waitMs(): number;
}

/** The timeout of one HTTP request to Steam; a call's own deadline is longer. */
const REQUEST_TIMEOUT_MS = 30_000;
/**
 * In a full update the manager reads every offer that ever existed, outside our limiters; open offers are
 * read by their ids anyway, so it is rare.
 */
const FULL_UPDATE_MS = 24 * 3_600_000;

export interface ClientOptions {
  log: Log;
  /** An HTTP proxy for all traffic to Steam, or null. */
  proxy: string | null;
  pollIntervalMs: number;
  /**
   * For a short log-on beside a session that the account may have. It uses a `logonID` of its own, which
   * leaves the other session alone, and does not renew the token, which could invalidate the one in use.
   */
  isTrial?: true | undefined;
}

/**
 * Creates the clients with documented options only. Nothing is written to disk: tokens and offers live in our
 * database. No language is set, because the manager would then withhold offers until it has their items'
 * names.
 */
export function createSteamClients({ proxy, pollIntervalMs, isTrial, log }: ClientOptions): SteamClients {
  const user = new SteamUser({
    httpProxy: proxy,
    dataDirectory: null,
    renewRefreshTokens: !isTrial,
  } as ConstructorParameters<typeof SteamUser>[0]);
  const community = new SteamCommunity({
    ...(proxy && { request: Request.defaults({ proxy }) }),
    timeout: REQUEST_TIMEOUT_MS,
  } as ConstructorParameters<typeof SteamCommunity>[0]);
  addBrowserHeaders(community);
  abortWithCalls(community);
  containExceptions(community, log);
  const waitMs = readWaits(community);
  const manager = new TradeOfferManager({
    steam: user,
    community,
    useAccessToken: true,
    dataDirectory: null,
    pollInterval: pollIntervalMs,
    pollFullUpdateInterval: FULL_UPDATE_MS,
  } as unknown as ConstructorParameters<typeof TradeOfferManager>[0]);
  return { user, community, manager, waitMs };
}

interface WebRequest {
  url: string;
  headers?: Record<string, string>;
}

/** Uses steamcommunity's documented request hook, which also sees the manager's requests. */
function addBrowserHeaders(community: SteamCommunity): void {
  const hooked = community as unknown as {
    onPreHttpRequest(id: number, source: string, request: WebRequest): boolean;
  };
  hooked.onPreHttpRequest = (_id, _source, request) => {
    request.headers = browserHeaders(request.url, request.headers);
    // `false` lets the request proceed.
    return false;
  };
}

/**
 * Catches exceptions that the packages throw at answers of an unexpected form, because they would end the
 * process. The caller then gets no answer, and its deadline ends the call. All of the packages' requests pass
 * here.
 */
function containExceptions(community: SteamCommunity, log: Log): void {
  type Callback = (...answer: unknown[]) => void;
  const contained = community as unknown as { httpRequest(...request: unknown[]): void };
  const send = contained.httpRequest;
  contained.httpRequest = function (...request) {
    const at = request.findIndex((each) => typeof each === 'function');
    const callback = request[at] as Callback | undefined;
    if (callback)
      request[at] = function (this: unknown, ...answer: unknown[]) {
        try {
          callback.apply(this, answer);
        } catch (error) {
          log.error({ err: error }, 'an answer of Steam has another form than its package expects');
        }
      };
    send.apply(this, request);
  };
}

/** The call in which a request is made; `signal` is null once it has ended. */
const calls = new AsyncLocalStorage<{ signal: AbortSignal | null }>();

/**
 * Makes a call, all of whose requests fail with the signal. What the packages begin in it and go on with after
 * its end, such as their polls, is no part of it.
 */
export async function abortedBy<T>(signal: AbortSignal, call: () => Promise<T>): Promise<T> {
  const store: { signal: AbortSignal | null } = { signal };
  try {
    return await calls.run(store, call);
  } finally {
    store.signal = null;
  }
}

/** The packages take no signals, so each request finds that of its call. All of the packages' requests pass here. */
function abortWithCalls(community: SteamCommunity): void {
  const client = community as unknown as { request(...request: unknown[]): Request.Request };
  const send = client.request;
  client.request = (...request) => {
    const sent = send(...request);
    const signal = calls.getStore()?.signal;
    if (signal) abortWith(signal, sent);
    return sent;
  };
}

/** Aborts a request with the signal. The packages count on their callbacks, which `abort` alone does not call. */
function abortWith(signal: AbortSignal, sent: Request.Request): void {
  const abort = () => {
    sent.abort();
    sent.emit('error', new LeaseLapsed());
  };
  if (signal.aborted) {
    process.nextTick(abort);
    return;
  }
  signal.addEventListener('abort', abort, { once: true });
  const release = () => signal.removeEventListener('abort', abort);
  for (const end of ['complete', 'error', 'abort']) sent.once(end, release);
}

interface WebAnswer {
  statusCode?: number;
  headers?: Record<string, string | undefined>;
}

/** Uses steamcommunity's documented event, which also reports the manager's requests. */
function readWaits(community: SteamCommunity): () => number {
  let untilMs = 0;
  community.on(
    'postHttpRequest' as never,
    ((_id: number, _source: string, _options: object, _error: unknown, answer: WebAnswer | undefined) => {
      const seconds = Number(answer?.headers?.['retry-after']);
      if (answer?.statusCode === 429) untilMs = performance.now() + (seconds > 0 ? seconds * 1000 : 0);
    }) as never,
  );
  return () => Math.max(0, untilMs - performance.now());
}

/** Reads Steam's clock, in seconds. Needs no session. */
export function readSteamSeconds(community: SteamCommunity): Promise<number> {
  const options = { uri: 'https://api.steampowered.com/ITwoFactorService/QueryTime/v1/', json: true };
  return new Promise((resolve, reject) => {
    community.httpRequestPost(
      options as never,
      ((
        error: Error | null,
        _response: unknown,
        body: { response?: { server_time?: unknown } } | undefined,
      ) => {
        const seconds = Number(body?.response?.server_time);
        if (seconds > 0) resolve(seconds);
        else reject(error ?? new Error('Steam did not tell its time'));
      }) as never,
    );
  });
}

/** Turns a package's callback into a promise of its first value. The packages' own types do not match. */
export function callbackToPromise<T>(start: (callback: never) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    const callback = (error: Error | null | undefined, value: T) => (error ? reject(error) : resolve(value));
    start(callback as never);
  });
}
