import { once } from 'node:events';
import Request from 'request';
import { getConfirmationKey, time as totpTime } from 'steam-totp';
import TradeOfferManager from 'steam-tradeoffer-manager';
import type TradeOffer from 'steam-tradeoffer-manager/lib/classes/TradeOffer.js';
import SteamUser from 'steam-user';
import SteamCommunity from 'steamcommunity';
import type { SteamPerson } from '#sandbox/steam/state.ts';

type Callback<T> = (error: Error | null, value: T) => void;

/** Turns the packages' callbacks into promises; their own types do not match. */
export function promised<T>(start: (callback: never) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    const callback: Callback<T> = (error, value) => (error ? reject(error) : resolve(value));
    start(callback as never);
  });
}

export type SteamError = Error & { eresult?: number; cause?: string };

/** The error of a failing call; a successful call fails the test. */
export async function failureOf(call: Promise<unknown>): Promise<SteamError> {
  try {
    await call;
  } catch (error) {
    return error as SteamError;
  }
  throw new Error('The call was expected to fail.');
}

type ReadItem = {
  appid: number;
  contextid: string;
  assetid: string;
  classid: string;
  tradable: boolean;
  name: string;
  owner_descriptions?: { value: string }[];
};
type ExchangedItem = ReadItem & { new_assetid: string; new_contextid: string };

type Login = { refreshToken: string } | { accountName: string; password: string; twoFactorCode?: string };

/** The real packages, configured for the sandbox with documented options only. */
export class RealClient {
  readonly user: SteamUser;
  readonly community: SteamCommunity;
  readonly manager: TradeOfferManager;

  constructor(proxyUrl: string) {
    this.user = new SteamUser({
      httpProxy: proxyUrl,
      dataDirectory: null,
      renewRefreshTokens: false,
    } as object);
    this.community = new SteamCommunity({
      request: Request.defaults({ proxy: proxyUrl }),
      timeout: 8000,
    } as object);
    this.manager = new TradeOfferManager({
      steam: this.user,
      community: this.community,
      language: 'en',
      useAccessToken: true,
      dataDirectory: null,
      savePollData: false,
      pollInterval: -1,
    } as object);
    this.manager.minimumPollInterval = 0;
    // Without a listener, a fatal error would end the test's process; tests add their own.
    this.user.on('error', () => {});
  }

  async logOn(details: Login) {
    const cookies = new Promise<string[]>((resolve, reject) => {
      this.user.once('webSession', (_sessionId, given) => resolve(given));
      this.user.once('error', reject);
    });
    this.user.logOn(details as Parameters<SteamUser['logOn']>[0]);
    await this.setCookies(await cookies);
  }

  async logOnToWeb() {
    const session = once(this.user, 'webSession');
    this.user.webLogOn();
    const [, cookies] = (await session) as [string, string[]];
    await this.setCookies(cookies);
  }

  setCookies(cookies: string[]) {
    return promised<void>((callback) => this.manager.setCookies(cookies, callback));
  }

  items(steamId: string, appid: number, contextid: number, tradableOnly = false) {
    return promised<ReadItem[]>((callback) =>
      this.manager.getUserInventoryContents(steamId, appid, contextid, tradableOnly, callback),
    );
  }

  offerTo(person: SteamPerson, token = person.tradeToken) {
    return this.manager.createOffer(person.steamId, token);
  }

  send(offer: TradeOffer) {
    return promised<'pending' | 'sent'>((callback) => offer.send(callback));
  }

  exchangeOf(offer: TradeOffer) {
    return new Promise<{ status: number; received: ExchangedItem[]; given: ExchangedItem[] }>(
      (resolve, reject) => {
        const done = (error: Error | null, status: number, _at: Date, received: object[], given: object[]) =>
          error
            ? reject(error)
            : resolve({ status, received: received as ExchangedItem[], given: given as ExchangedItem[] });
        offer.getExchangeDetails(true, done as never);
      },
    );
  }

  /** Any URL through the proxy, in this session. */
  get(url: string) {
    return new Promise<{ status: number; headers: Record<string, string>; body: unknown }>(
      (resolve, reject) => {
        const options = {
          url,
          json: true,
          checkHttpError: false,
          checkJsonError: false,
          followRedirect: false,
        };
        const done = (
          error: Error | null,
          response: { statusCode: number; headers: object },
          body: unknown,
        ) =>
          error
            ? reject(error)
            : resolve({
                status: response.statusCode,
                headers: response.headers as Record<string, string>,
                body,
              });
        (this.community as unknown as { httpRequest(options: object, done: unknown): void }).httpRequest(
          options,
          done,
        );
      },
    );
  }

  /** A Web API method with this session's access token. */
  async api(method: string, query: Record<string, string | number> = {}) {
    const { accessToken } = this.manager as unknown as { accessToken: string };
    const fields = new URLSearchParams({ access_token: accessToken });
    for (const [name, value] of Object.entries(query)) fields.set(name, String(value));
    const { body } = await this.get(`https://api.steampowered.com/${method}/v1/?${fields}`);
    // biome-ignore lint/suspicious/noExplicitAny: each method answers in a shape of its own, and tests compare single fields with the public record.
    return (body as { response: any }).response;
  }

  acknowledge() {
    const community = this.community as SteamCommunity & {
      acknowledgeTradeProtection(callback: never): void;
    };
    return promised<void>((callback) => community.acknowledgeTradeProtection(callback));
  }

  confirmations(identitySecret: string, time = totpTime(0)) {
    const key = getConfirmationKey(identitySecret, time, 'list');
    return promised<{ creator: string; type: number; respond: (...args: unknown[]) => void }[]>((callback) =>
      this.community.getConfirmations(time, { tag: 'list', key } as never, callback),
    );
  }

  /** Confirms one offer by its id, as the product does, without a separate time query. */
  async confirm(identitySecret: string, offerId: string, accept = true) {
    const time = totpTime(0);
    const list = await this.confirmations(identitySecret, time);
    const found = list.find((entry) => entry.creator === offerId);
    if (found === undefined) throw new Error(`No confirmation for offer ${offerId}`);
    const tag = accept ? 'accept' : 'cancel';
    const key = getConfirmationKey(identitySecret, time + 1, tag);
    await promised<void>((callback) => found.respond(time + 1, { tag, key }, accept, callback));
  }

  async poll() {
    const polled = new Promise((resolve, reject) => {
      this.manager.once('pollSuccess', () => resolve(null));
      this.manager.once('pollFailure', reject);
    });
    (this.manager as unknown as { doPoll(full: boolean): void }).doPoll(true);
    await polled;
  }

  close() {
    this.manager.shutdown();
    this.user.logOff();
  }
}
