import type { Log } from '#bot/log.ts';
import { type LogOnVerdict, verdictOfLogOn } from '#bot/steam/log-on-fault.ts';
import {
  type ClientOptions,
  callbackToPromise,
  createSteamClients,
  type SteamClients,
} from '#bot/steam/steam-clients.ts';
import type { SteamError } from '#bot/steam/steam-failure.ts';

export type LogOnDetails =
  | { refreshToken: string }
  | { accountName: string; password: string; guardCode: () => string };

export interface SessionHooks {
  /** Stores a new refresh token; the one before it may be dead already, so nothing goes on before it is stored. */
  saveRefreshToken(token: string): Promise<void>;
  /** The account can be used on the web. */
  onReady(): void;
  /** The session is over for good; a new one has to be made. */
  onEnded(verdict: LogOnVerdict, error: Error): void;
  /** One of our sent offers is new or changed: by Steam's push, or by the manager's poll. */
  onOfferChanged(offerId: string): void;
}

/** steam-session hands out the same access token for this long; a newer one takes a new log-on. */
const SAME_TOKEN_MS = 10 * 60_000;
const MAX_RENEWAL_PAUSE_MS = 10 * 60_000;
/** A log-on, and a reconnect, that has not become a web session by then is hopeless. */
const LOG_ON_TIMEOUT_MS = 90_000;
const RECONNECT_TIMEOUT_MS = 5 * 60_000;
const MAX_GUARD_CODES = 3;
const GUARD_CODE_LIFE_MS = 31_000;

/** One log-on of one account, with its web session, until it ends for good. */
export class SteamSession {
  readonly clients: SteamClients;
  readonly #hooks: SessionHooks;
  readonly #log: Log;
  #phase: 'starting' | 'ready' | 'ended' = 'starting';
  #accessToken = '';
  #saving: Promise<void> = Promise.resolve();
  #renewing = false;
  #renewedAtMs = 0;
  #strikes = 0;
  #renewal: NodeJS.Timeout | undefined;
  #hopelessAtMs = Number.POSITIVE_INFINITY;

  constructor(options: ClientOptions, hooks: SessionHooks, log: Log) {
    this.clients = createSteamClients(options);
    this.#hooks = hooks;
    this.#log = log;
    this.#listen();
  }

  get isReady(): boolean {
    return this.#phase === 'ready';
  }

  /** It should have become ready long ago, and a new session has better chances. */
  get isHopeless(): boolean {
    return !this.isReady && Date.now() > this.#hopelessAtMs;
  }

  /** For Steam's Web API, which takes the web session's own token. */
  get accessToken(): string {
    return this.#accessToken;
  }

  start(details: LogOnDetails): void {
    this.#hopelessAtMs = Date.now() + LOG_ON_TIMEOUT_MS;
    if ('refreshToken' in details) {
      this.clients.user.logOn({ refreshToken: details.refreshToken });
      return;
    }
    const { accountName, password, guardCode } = details;
    this.#answerGuard(guardCode);
    this.clients.user.logOn({ accountName, password, twoFactorCode: guardCode() });
  }

  /** Logs off; nothing of this session is heard of afterwards. */
  end(): void {
    this.#phase = 'ended';
    clearTimeout(this.#renewal);
    this.clients.manager.shutdown();
    this.clients.user.logOff();
  }

  /** Somebody was told that the web session is over; both packages may say so, and once is enough. */
  webSessionLost(): void {
    if (this.#renewing || this.#phase === 'ended') return;
    this.#renewing = true;
    this.#phase = 'starting';
    const isFresh = Date.now() - this.#renewedAtMs < SAME_TOKEN_MS;
    this.#strikes = isFresh ? this.#strikes + 1 : 0;
    const pauseMs = this.#strikes < 2 ? 0 : Math.min(30_000 * 2 ** (this.#strikes - 2), MAX_RENEWAL_PAUSE_MS);
    this.#log.warn({ strikes: this.#strikes, pauseMs }, 'the web session is over and will be renewed');
    this.#hopelessAtMs = Date.now() + pauseMs + LOG_ON_TIMEOUT_MS;
    this.#renewal = setTimeout(() => this.#renew(), pauseMs);
  }

  #renew(): void {
    try {
      if (this.#strikes === 0) this.clients.user.webLogOn();
      else this.clients.user.relog();
    } catch (error) {
      // Not connected at this moment: the reconnect under way brings a web session of its own.
      this.#log.debug({ err: error }, 'the web session is renewed by the reconnect');
    }
  }

  #listen(): void {
    const { user, community, manager } = this.clients;
    user.on('refreshToken', (token) => {
      this.#saving = this.#hooks.saveRefreshToken(token);
      this.#saving.catch((error) =>
        this.#log.error({ err: error }, 'a new refresh token could not be stored'),
      );
    });
    user.on('webSession', (_sessionId, cookies) => void this.#useWebSession(cookies));
    user.on('disconnected', (result, message) => {
      if (this.#phase === 'ended') return;
      if (this.#phase === 'ready') this.#hopelessAtMs = Date.now() + RECONNECT_TIMEOUT_MS;
      this.#phase = 'starting';
      this.#log.info({ result, message }, 'Steam disconnected the bot; it reconnects by itself');
    });
    user.on('error', (error: SteamError) => {
      if (this.#phase === 'ended') return;
      this.end();
      this.#hooks.onEnded(verdictOfLogOn(Number(error.eresult)), error);
    });
    const lost = () => this.webSessionLost();
    manager.on('sessionExpired', lost);
    community.on('sessionExpired', lost);
    const changed = ({ id }: { id?: string }) => id && this.#hooks.onOfferChanged(id);
    manager.on('sentOfferChanged', changed);
    manager.on('unknownOfferSent', changed);
    manager.on('pollFailure', (error) => this.#log.debug({ err: error }, 'a poll of the offers failed'));
  }

  /** Without a listener steam-user would ask on the terminal. */
  #answerGuard(guardCode: () => string): void {
    let requests = 0;
    this.clients.user.on('steamGuard', (domain, callback, lastCodeWrong) => {
      requests += 1;
      if (domain !== null || requests > MAX_GUARD_CODES) {
        this.end();
        this.#hooks.onEnded(verdictOfLogOn(domain === null ? 88 : 63), new Error('Steam Guard asks on'));
        return;
      }
      setTimeout(() => callback(guardCode()), lastCodeWrong ? GUARD_CODE_LIFE_MS : 0).unref();
    });
  }

  async #useWebSession(cookies: string[]): Promise<void> {
    try {
      await this.#saving;
      await callbackToPromise<void>((callback) => this.clients.manager.setCookies(cookies, callback));
      if (this.#phase === 'ended') return;
      this.#accessToken = accessTokenOf(cookies);
      this.#renewing = false;
      this.#renewedAtMs = Date.now();
      this.#phase = 'ready';
      this.#hooks.onReady();
    } catch (error) {
      this.#log.error({ err: error }, 'the web session cannot be used');
    }
  }
}

function accessTokenOf(cookies: readonly string[]): string {
  const cookie = cookies.find((each) => each.startsWith('steamLoginSecure='));
  return decodeURIComponent(cookie?.split('=')[1]?.split(';')[0] ?? '').split('||')[1] ?? '';
}
