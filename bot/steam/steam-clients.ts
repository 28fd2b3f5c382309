import Request from 'request';
import TradeOfferManager from 'steam-tradeoffer-manager';
import SteamUser from 'steam-user';
import SteamCommunity from 'steamcommunity';
import { browserHeaders } from '#bot/steam/browser-headers.ts';

/** The three packages that speak to Steam, for one account. */
export interface SteamClients {
  user: SteamUser;
  community: SteamCommunity;
  manager: TradeOfferManager;
}

/** How long one request to Steam's web may take; a call's own deadline is longer than this. */
const REQUEST_TIMEOUT_MS = 30_000;

export interface ClientOptions {
  /** An HTTP proxy for everything that leaves for Steam; null: none. */
  proxy: string | null;
  pollIntervalMs: number;
}

/**
 * Makes them by documented options alone. Nothing is written to disk: tokens and offers live in our own database. No
 * language is set, because with one the manager holds an offer back until it has the names of its items.
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

/** By the hook that steamcommunity documents for changing a request; it carries the manager's requests as well. */
function addBrowserHeaders(community: SteamCommunity): void {
  const hooked = community as unknown as {
    onPreHttpRequest(id: number, source: string, request: WebRequest): boolean;
  };
  hooked.onPreHttpRequest = (_id, _source, request) => {
    request.headers = browserHeaders(request.url, request.headers);
    // Do not hold the request back.
    return false;
  };
}

/** Turns the packages' callbacks into promises; only the first value counts. Their own types disagree with them. */
export function callbackToPromise<T>(start: (callback: never) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    const callback = (error: Error | null | undefined, value: T) => (error ? reject(error) : resolve(value));
    start(callback as never);
  });
}
