import Request from 'request';
import TradeOfferManager from 'steam-tradeoffer-manager';
import SteamUser from 'steam-user';
import SteamCommunity from 'steamcommunity';
import { browserHeaders } from '#bot/steam/browser-headers.ts';

/** One account's clients from the three Steam packages. */
export interface SteamClients {
  user: SteamUser;
  community: SteamCommunity;
  manager: TradeOfferManager;
}

/** The timeout of one HTTP request to Steam; a call's own deadline is longer. */
const REQUEST_TIMEOUT_MS = 30_000;

export interface ClientOptions {
  /** An HTTP proxy for all traffic to Steam, or null. */
  proxy: string | null;
  pollIntervalMs: number;
}

/**
 * Creates the clients with documented options only. Nothing is written to disk: tokens and offers live in our database.
 * No language is set, because with one the manager withholds offers until it has their items' names.
 */
export function createSteamClients({ proxy, pollIntervalMs }: ClientOptions): SteamClients {
  const user = new SteamUser({
    httpProxy: proxy,
    dataDirectory: null,
    renewRefreshTokens: true,
  } as ConstructorParameters<typeof SteamUser>[0]);
  const community = new SteamCommunity({
    ...(proxy && { request: Request.defaults({ proxy }) }),
    timeout: REQUEST_TIMEOUT_MS,
  } as ConstructorParameters<typeof SteamCommunity>[0]);
  addBrowserHeaders(community);
  const manager = new TradeOfferManager({
    steam: user,
    community,
    useAccessToken: true,
    dataDirectory: null,
    savePollData: false,
    pollInterval: pollIntervalMs,
  } as unknown as ConstructorParameters<typeof TradeOfferManager>[0]);
  return { user, community, manager };
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
    // False lets the request proceed.
    return false;
  };
}

/** Turns a package's callback into a promise of its first value. The packages' own types do not match. */
export function callbackToPromise<T>(start: (callback: never) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    const callback = (error: Error | null | undefined, value: T) => (error ? reject(error) : resolve(value));
    start(callback as never);
  });
}
