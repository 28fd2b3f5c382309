import { eq } from 'drizzle-orm';
import { generateAuthCode } from 'steam-totp';
import type { BotDeps, PartReport } from '#bot/deps.ts';
import { steamErrors } from '#bot/metrics.ts';
import type { Limiters } from '#bot/steam/limiters.ts';
import { LiveAccount } from '#bot/steam/live-account.ts';
import type { BotFault, LogOnVerdict } from '#bot/steam/log-on-fault.ts';
import type { SteamAccount } from '#bot/steam/steam-account.ts';
import { type LogOnDetails, SteamSession } from '#bot/steam/steam-session.ts';
import { bots } from '#db/schema/bot.ts';
import { BOT_LEASE_MS, releaseBot, reportBot } from '#domain/bot/lease-bot.ts';
import { recordHeartbeat } from '#domain/bot/record-heartbeat.ts';
import type { SteamCredentials } from '#platform/steam-bots-file.ts';
import { readRefreshToken } from '#platform/steam-refresh-token.ts';

export interface SteamBotParts {
  deps: BotDeps;
  credentials: SteamCredentials;
  limiters: Limiters;
  /** Identifies this process among all that share the database. */
  holder: string;
  pollIntervalMs: number;
  /** The pause after a first refusal of the credentials; it grows with each. */
  refusalPauseMs: number;
  onReady(): void;
  onOfferChanged(offerId: string): void;
}

/** Steam sometimes refuses correct credentials; ArchiSteamFarm believes the third refusal (Bot.cs). */
const REFUSALS_TO_BELIEVE = 3;
const REFUSAL_GROWTH = 4;

/** One trade bot: the lease of its account, its session, and its row in the database. */
export class SteamBot {
  readonly id: string;
  readonly #parts: SteamBotParts;
  readonly #log;
  #leasedUntilMs = 0;
  #session: SteamSession | null = null;
  #account: LiveAccount | null = null;
  #retryAtMs = 0;
  #failures = 0;
  #fault: BotFault | null = null;
  #acknowledged = false;
  #refusals = 0;
  #refusedTokens = new Set<string>();
  #knownSteamId: string | null = null;

  constructor(parts: SteamBotParts) {
    this.id = parts.credentials.name;
    this.#parts = parts;
    this.#log = parts.deps.log;
  }

  /**
   * The account while we hold its lease and are logged on; null otherwise, because nobody may act for it
   * then.
   */
  get account(): SteamAccount | null {
    const isOurs = Date.now() < this.#leasedUntilMs;
    return isOurs && this.#session?.isReady ? this.#account : null;
  }

  report(): PartReport {
    if (this.account) return { state: 'ready' };
    return { state: this.#fault ? 'faulty' : 'starting', detail: this.#fault ?? '' };
  }

  /** Changes how often Steam's offers are polled, until the next log-on. */
  pollEvery(ms: number): void {
    this.#session?.pollEvery(ms);
  }

  /** True if the account could be used as soon as we hold the lease. */
  get isReady(): boolean {
    return this.#account !== null && this.#session?.isReady === true && this.#acknowledged;
  }

  /**
   * Acts on the outcome of leasing at `systemMs`: logs on when due, or logs off when another process holds the lease.
   * Called at every heartbeat.
   */
  async applyLease(isLeased: boolean, systemMs: number): Promise<void> {
    const lapsed = this.#session?.isReady && !this.account;
    if (!isLeased) return this.#loseLease();
    this.#leasedUntilMs = systemMs + BOT_LEASE_MS;
    if (this.#account && this.#session?.isReady) {
      await this.#acknowledge(this.#account);
      if (lapsed) this.#parts.onReady();
      return;
    }
    if (this.#session?.hasTimedOut) {
      this.#endSession();
      steamErrors.inc({ code: 'steamUnavailable' });
      this.#log.warn({ bot: this.id }, 'the log-on timed out; starting over');
    }
    if (!this.#session && systemMs >= this.#retryAtMs) await this.#logOn();
  }

  /** Logs off and releases the lease, so that the next process need not wait for it to expire. */
  async stop(): Promise<void> {
    this.#retryAtMs = Number.POSITIVE_INFINITY;
    this.#endSession();
    this.#leasedUntilMs = 0;
    await releaseBot(this.#parts.deps.db, { botId: this.id, holder: this.#parts.holder });
  }

  #loseLease(): void {
    if (this.#session) this.#log.warn({ bot: this.id }, "another process holds the bot's lease; logged off");
    this.#endSession();
    this.#leasedUntilMs = 0;
  }

  #endSession(): void {
    this.#session?.end();
    this.#session = null;
    this.#account = null;
  }

  async #logOn(): Promise<void> {
    const found = await this.#details();
    if (!found.ok) {
      steamErrors.inc({ code: found.fault });
      return this.#recordFault(found.fault, Number.POSITIVE_INFINITY);
    }
    const { details } = found;
    await reportBot(this.#parts.deps.db, this.id, { state: 'starting', fault: this.#fault });
    const { proxy } = this.#parts.credentials;
    const session: SteamSession = new SteamSession(
      {
        proxy: proxy ?? this.#parts.deps.config.steam.httpProxy,
        pollIntervalMs: this.#parts.pollIntervalMs,
      },
      {
        saveRefreshToken: (token) => this.#saveToken(token),
        onReady: () => void this.#becomeReady(session),
        onEnded: (verdict, error) => void this.#ended(verdict, error, details),
        onOfferChanged: this.#parts.onOfferChanged,
      },
      this.#log,
    );
    this.#session = session;
    // Not awaited: a queue of log-ons must not delay renewing the lease.
    void this.#parts.limiters.logins
      .take(async () => {
        if (this.#session === session) await session.start(details);
      })
      .then((taken) => {
        if (!taken && this.#session === session) this.#endSession();
      });
  }

  /** The newest token that Steam has not refused, otherwise the password. */
  async #details(): Promise<{ ok: true; details: LogOnDetails } | { ok: false; fault: BotFault }> {
    const { credentials, deps } = this.#parts;
    const [row] = await deps.db.read.select().from(bots).where(eq(bots.id, this.id));
    this.#acknowledged = row?.protectionAcknowledged ?? false;
    this.#knownSteamId = row?.steamId ?? null;
    const stored = row?.refreshTokenSealed ? this.#open(row.refreshTokenSealed) : null;
    const configured = 'refreshToken' in credentials ? credentials.refreshToken : null;
    const tokens = [stored, configured].filter((token) => token !== null);
    const read = tokens.map((token) => ({ token, ...readRefreshToken(token, Date.now()) }));
    const usable = read.flatMap((each) => (each.ok && !this.#refusedTokens.has(each.token) ? [each] : []));
    const [newest] = usable.sort((a, b) => b.expiresAtMs - a.expiresAtMs);
    if (newest) return { ok: true, details: { refreshToken: newest.token } };
    if ('password' in credentials) {
      const { accountName, password, sharedSecret } = credentials;
      return {
        ok: true,
        details: { accountName, password, guardCode: (ahead) => generateAuthCode(sharedSecret, ahead) },
      };
    }
    const [fault = 'credentialsRefused'] = read.flatMap((each) => (each.ok ? [] : [each.fault]));
    return { ok: false, fault };
  }

  #open(sealed: string): string | null {
    try {
      return this.#parts.deps.vault.open(sealed, `bot:${this.id}`);
    } catch {
      this.#log.warn({ bot: this.id }, 'the stored refresh token cannot be decrypted with the current key');
      return null;
    }
  }

  async #saveToken(token: string): Promise<void> {
    const { db, vault } = this.#parts.deps;
    await reportBot(db, this.id, { refreshTokenSealed: vault.seal(token, `bot:${this.id}`) });
  }

  async #becomeReady(session: SteamSession): Promise<void> {
    const { db, clock } = this.#parts.deps;
    const steamId = session.clients.user.steamID?.getSteamID64();
    if (!steamId || this.#session !== session) return;
    // The web session was renewed for an account already in use.
    if (this.#account) return this.#parts.onReady();
    if (this.#knownSteamId !== null && this.#knownSteamId !== steamId) return this.#refuseAccount(steamId);
    const { credentials, limiters } = this.#parts;
    const { identitySecret } = credentials;
    try {
      const account = new LiveAccount({ botId: this.id, steamId, identitySecret, session, limiters });
      await this.#acknowledge(account);
      // The session may have ended during the wait, and its account with it.
      if (this.#session !== session) return;
      this.#account = account;
      this.#failures = 0;
      this.#refusals = 0;
      this.#fault = null;
      await recordHeartbeat(db, this.id, { systemMs: Date.now(), nowMs: clock.now() });
      await reportBot(db, this.id, { state: 'ready', fault: null, steamId });
      this.#log.info({ bot: this.id, steamId }, 'the bot is ready');
      this.#parts.onReady();
    } catch (error) {
      this.#log.error({ err: error, bot: this.id }, 'the bot logged on but cannot be used yet');
    }
  }

  /** Refuses an account whose inventory does not have the items recorded under this bot's name. */
  async #refuseAccount(steamId: string): Promise<void> {
    this.#log.error(
      { bot: this.id, steamId, knownSteamId: this.#knownSteamId },
      'this name belongs to another Steam account; give the account its own name in STEAM_BOTS_FILE',
    );
    steamErrors.inc({ code: 'otherAccount' });
    this.#endSession();
    await this.#recordFault('otherAccount', Number.POSITIVE_INFINITY);
  }

  /** Acknowledges Steam's notice, which is needed once per account and recorded in the database. */
  async #acknowledge(account: LiveAccount): Promise<void> {
    if (this.#acknowledged) return;
    const done = await account.acknowledgeProtection();
    if (!done.ok) {
      this.#log.warn(
        { bot: this.id, ...done },
        'could not acknowledge the Trade Protection notice; retrying at the next heartbeat',
      );
      return;
    }
    await reportBot(this.#parts.deps.db, this.id, { protectionAcknowledged: true });
    this.#acknowledged = true;
  }

  async #ended(verdict: LogOnVerdict, error: Error, details: LogOnDetails): Promise<void> {
    this.#endSession();
    steamErrors.inc({ code: verdict.fault });
    this.#log.warn({ err: error, bot: this.id, fault: verdict.fault }, 'the bot is logged off');
    if (verdict.fault === 'credentialsRefused' && ++this.#refusals < REFUSALS_TO_BELIEVE)
      return this.#recordFault(verdict.fault, this.#parts.refusalPauseMs * REFUSAL_GROWTH ** this.#refusals);
    if (verdict.fault === 'credentialsRefused' && 'refreshToken' in details) {
      // The other token or the password may still work.
      this.#refusals = 0;
      this.#refusedTokens.add(details.refreshToken);
      this.#retryAtMs = 0;
      return;
    }
    const { next } = verdict;
    const pauseMs = next.again
      ? Math.min(next.pauseMs * 2 ** this.#failures, next.maxPauseMs)
      : Number.POSITIVE_INFINITY;
    this.#failures += 1;
    await this.#recordFault(verdict.fault, pauseMs);
  }

  async #recordFault(fault: BotFault, pauseMs: number): Promise<void> {
    this.#fault = fault;
    this.#retryAtMs = Date.now() + pauseMs;
    const state = Number.isFinite(pauseMs) ? 'offline' : 'broken';
    if (state === 'broken')
      this.#log.error({ bot: this.id, fault }, 'the bot cannot log on until an operator intervenes');
    await reportBot(this.#parts.deps.db, this.id, { state, fault }).catch((error) =>
      this.#log.error({ err: error, bot: this.id }, "the bot's fault could not be stored"),
    );
  }
}
