import type { Log } from '#bot/log.ts';
import { type LogOnVerdict, verdictOfLogOn, withoutWebSession } from '#bot/steam/log-on-fault.ts';
import {
  type ClientOptions,
  callbackToPromise,
  createSteamClients,
  readSteamSeconds,
  type SteamClients,
} from '#bot/steam/steam-clients.ts';
import { type SteamError, withDeadline } from '#bot/steam/steam-failure.ts';
import { contain, outsideHere } from '#platform/contained.ts';
import { steadyMs } from '#platform/steady-time.ts';

export type LogOnDetails =
  | { refreshToken: string }
  | { accountName: string; password: string; guardCode: (clockAheadSeconds: number) => string };

export interface SessionHooks {
  /** Stores a new refresh token. The old one may already be invalid, so the session waits until this is done. */
  saveRefreshToken(token: string): Promise<void>;
  /** The web session is usable. */
  onReady(): void;
  /** The session has ended for good; a new one is needed. */
  onEnded(verdict: LogOnVerdict, error: Error): void;
  /** One of our sent offers is new or changed, according to Steam's push or the manager's poll. */
  onOfferChanged(offerId: string): void;
}

/** steam-session returns the same access token for this long; a newer one takes a new log-on. */
const TOKEN_REUSE_MS = 10 * 60_000;
const MAX_RENEWAL_PAUSE_MS = 10 * 60_000;
/** A log-on or reconnect without a web session after this time has failed. */
const LOG_ON_TIMEOUT_MS = 90_000;
const RECONNECT_TIMEOUT_MS = 5 * 60_000;
const FIRST_SAVE_PAUSE_MS = 500;
const MAX_SAVE_PAUSE_MS = 30_000;
const CLOCK_TIMEOUT_MS = 10_000;
const NOTABLE_SECONDS = 20;
const MAX_GUARD_CODES = 3;
const GUARD_CODE_LIFE_MS = 31_000;
/** Any number but 0, which sessions of bots use. */
const TRIAL_LOGON_ID = 1;

/** One log-on of one account, with its web session, until it ends for good. */
export class SteamSession {
  readonly clients: SteamClients;
  readonly #hooks: SessionHooks;
  readonly #log: Log;
  readonly #isTrial: boolean;
  #phase: 'starting' | 'ready' | 'ended' = 'starting';
  #accessToken = '';
  #saving: Promise<void> = Promise.resolve();
  #renewing = false;
  #renewedAtMs = Number.NEGATIVE_INFINITY;
  #strikes = 0;
  #renewal: NodeJS.Timeout | undefined;
  #readyByMs = Number.POSITIVE_INFINITY;
  /** Steam's time when it was last read, and the time of a clock that nobody sets. Null if it was never read. */
  #steamTime: { seconds: number; atMs: number } | null = null;

  constructor(options: Omit<ClientOptions, 'log'>, hooks: SessionHooks, log: Log) {
    this.#hooks = outsideOf(hooks);
    this.#log = log;
    this.#isTrial = options.isTrial ?? false;
    this.clients = this.contain(() => createSteamClients({ ...options, log }));
    this.#listen();
  }

  /** Calls the packages. An error of theirs that reaches nobody, now or later, ends this session alone. */
  contain<T>(call: () => T): T {
    return contain((error) => this.#receive(error as SteamError), call);
  }

  #receive(error: SteamError): void {
    if (this.#phase === 'ended') return;
    this.#log.error({ err: error }, 'a Steam package failed outside of any call; its session ends');
    this.end();
    const verdict = Number(error?.eresult) > 0 ? withoutWebSession : verdictOfLogOn(0);
    this.#hooks.onEnded(verdict, error);
  }

  /** The connection is logged on, with or without a web session. */
  get isLoggedOn(): boolean {
    return this.clients.user.steamID !== null;
  }

  get isReady(): boolean {
    return this.#phase === 'ready';
  }

  /** True if the session should have become ready by now; a new one has better chances. */
  get hasTimedOut(): boolean {
    return !this.isReady && steadyMs() > this.#readyByMs;
  }

  /** The web session's token, for Steam's Web API. */
  get accessToken(): string {
    return this.#accessToken;
  }

  /**
   * Seconds by which Steam's clock is ahead of ours, also after ours was stepped. Steam judges codes and dates by its
   * own clock.
   */
  get clockAheadSeconds(): number {
    if (!this.#steamTime) return 0;
    const { seconds, atMs } = this.#steamTime;
    return Math.round(seconds + (performance.now() - atMs - Date.now()) / 1000);
  }

  async start(details: LogOnDetails): Promise<void> {
    this.#readyByMs = steadyMs() + LOG_ON_TIMEOUT_MS;
    await this.compareClocks();
    if (this.#phase === 'ended') return;
    const own = this.#isTrial ? { logonID: TRIAL_LOGON_ID } : {};
    if ('refreshToken' in details) {
      const { refreshToken } = details;
      this.contain(() => this.clients.user.logOn({ refreshToken, ...own }));
      return;
    }
    const { accountName, password, guardCode } = details;
    this.#answerGuard(guardCode);
    const twoFactorCode = guardCode(this.clockAheadSeconds);
    this.contain(() => this.clients.user.logOn({ accountName, password, twoFactorCode, ...own }));
  }

  /** Reads Steam's time, by which it judges codes and signatures. */
  async compareClocks(): Promise<void> {
    const askedMs = performance.now();
    try {
      const seconds = await withDeadline(readSteamSeconds(this.clients.community), CLOCK_TIMEOUT_MS);
      this.#steamTime = { seconds, atMs: (askedMs + performance.now()) / 2 };
    } catch (error) {
      this.#log.warn({ err: error }, "Steam's time cannot be read; going by this machine's");
    }
    const seconds = this.clockAheadSeconds;
    if (Math.abs(seconds) > NOTABLE_SECONDS)
      this.#log.warn({ seconds }, "this machine's clock differs from Steam's");
  }

  /**
   * Changes the interval at which the offers are polled. If the next poll was planned later, it happens at
   * once.
   */
  pollEvery(ms: number): void {
    const { manager } = this.clients;
    const isSooner = ms < manager.pollInterval;
    manager.pollInterval = ms;
    if (isSooner) this.contain(() => manager.doPoll());
  }

  /** Logs off; no hook is called afterwards. */
  end(): void {
    this.#phase = 'ended';
    clearTimeout(this.#renewal);
    this.clients.manager.shutdown();
    this.clients.user.logOff();
  }

  /** Renews the web session after either package reported that it has expired; repeated reports count once. */
  webSessionLost(): void {
    if (this.#renewing || this.#phase === 'ended') return;
    this.#renewing = true;
    this.#phase = 'starting';
    const isFresh = steadyMs() - this.#renewedAtMs < TOKEN_REUSE_MS;
    this.#strikes = isFresh ? this.#strikes + 1 : 0;
    const pauseMs = this.#strikes < 2 ? 0 : Math.min(30_000 * 2 ** (this.#strikes - 2), MAX_RENEWAL_PAUSE_MS);
    this.#log.warn({ strikes: this.#strikes, pauseMs }, 'the web session has expired; renewing it');
    this.#readyByMs = steadyMs() + pauseMs + LOG_ON_TIMEOUT_MS;
    this.#renewal = setTimeout(() => this.#renew(), pauseMs);
  }

  #renew(): void {
    try {
      const { user } = this.clients;
      this.contain(() => (this.#strikes === 0 ? user.webLogOn() : user.relog()));
    } catch {
      // Not connected right now; the reconnect under way creates its own web session.
    }
  }

  #listen(): void {
    const { user, community, manager } = this.clients;
    user.on('refreshToken', (token) => {
      this.#saving = this.#save(token);
    });
    user.on('webSession', (_sessionId, cookies) => void this.#useWebSession(cookies));
    user.on('disconnected', (result, message) => {
      if (this.#phase === 'ended') return;
      if (this.#phase === 'ready') this.#readyByMs = steadyMs() + RECONNECT_TIMEOUT_MS;
      this.#phase = 'starting';
      this.#log.info({ result, message }, 'Steam disconnected the bot; it reconnects automatically');
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
    manager.on('pollFailure', (error) => this.#log.debug({ err: error }, 'polling the offers failed'));
  }

  /** Steam gives a token once, and may have invalidated the one before: it is stored again until it is stored. */
  async #save(token: string): Promise<void> {
    for (let pauseMs = FIRST_SAVE_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, MAX_SAVE_PAUSE_MS)) {
      try {
        await this.#hooks.saveRefreshToken(token);
        return;
      } catch (error) {
        this.#log.error({ err: error }, 'a new refresh token could not be stored; trying again');
      }
      await new Promise((resolve) => setTimeout(resolve, pauseMs).unref());
      if (this.#phase === 'ended') return;
    }
  }

  /** Without this listener steam-user would prompt on the terminal. */
  #answerGuard(guardCode: (clockAheadSeconds: number) => string): void {
    let requests = 0;
    // In a trial, the person who waits for it corrects the secret.
    const maxRequests = this.#isTrial ? 0 : MAX_GUARD_CODES;
    this.clients.user.on('steamGuard', (domain, callback, lastCodeWrong) => {
      requests += 1;
      if (domain !== null || requests > maxRequests) {
        this.end();
        this.#hooks.onEnded(verdictOfLogOn(domain === null ? 88 : 63), new Error('Steam Guard asks on'));
        return;
      }
      setTimeout(
        () => callback(guardCode(this.clockAheadSeconds)),
        lastCodeWrong ? GUARD_CODE_LIFE_MS : 0,
      ).unref();
    });
  }

  async #useWebSession(cookies: string[]): Promise<void> {
    try {
      await this.#saving;
      await callbackToPromise<void>((callback) => this.clients.manager.setCookies(cookies, callback));
      if (this.#phase === 'ended') return;
      // A reconnect may have renewed the web session before we did.
      clearTimeout(this.#renewal);
      this.#accessToken = accessTokenOf(cookies);
      this.#renewing = false;
      this.#renewedAtMs = steadyMs();
      this.#phase = 'ready';
      this.#hooks.onReady();
      // This machine's clock may have been corrected since the log-on.
      void this.compareClocks();
    } catch (error) {
      this.#log.error({ err: error }, 'the web session is unusable');
    }
  }
}

function accessTokenOf(cookies: readonly string[]): string {
  const cookie = cookies.find((each) => each.startsWith('steamLoginSecure='));
  return decodeURIComponent(cookie?.split('=')[1]?.split(';')[0] ?? '').split('||')[1] ?? '';
}

/** The hooks are our own code: their errors are no errors of the packages that call them. */
function outsideOf({ saveRefreshToken, onReady, onEnded, onOfferChanged }: SessionHooks): SessionHooks {
  const outside = outsideHere();
  return {
    saveRefreshToken: (token) => outside(() => saveRefreshToken(token)),
    onReady: () => outside(onReady),
    onEnded: (verdict, error) => outside(() => onEnded(verdict, error)),
    onOfferChanged: (offerId) => outside(() => onOfferChanged(offerId)),
  };
}
