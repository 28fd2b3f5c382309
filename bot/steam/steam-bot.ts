import { eq } from 'drizzle-orm';
import { generateAuthCode } from 'steam-totp';
import type { PartReport } from '#bot/deps.ts';
import type { LeasedDeps } from '#bot/leases.ts';
import { steamErrors } from '#bot/metrics.ts';
import type { Limiters } from '#bot/steam/limiters.ts';
import { LiveAccount } from '#bot/steam/live-account.ts';
import {
  type BotFault,
  type LogOnVerdict,
  verdictOfLogOn,
  withoutWebSession,
} from '#bot/steam/log-on-fault.ts';
import type { SteamAccount } from '#bot/steam/steam-account.ts';
import { type LogOnDetails, SteamSession } from '#bot/steam/steam-session.ts';
import { bots } from '#db/schema/bot.ts';
import { recordHeartbeat } from '#domain/bot/record-heartbeat.ts';
import { type BotFacts, recordBotStop, reportBot, storeRefreshToken } from '#domain/bot/record-used-bots.ts';
import { LeaseLost } from '#domain/bot/require-lease.ts';
import { leftOf } from '#domain/bot/sending-pause.ts';
import { day } from '#domain/kernel/time.ts';
import { steadyMs } from '#platform/steady-time.ts';
import type { SteamCredentials } from '#platform/steam-bots-file.ts';
import { readRefreshToken } from '#platform/steam-refresh-token.ts';

export interface SteamBotParts {
  deps: LeasedDeps;
  credentials: SteamCredentials;
  limiters: Limiters;
  pollIntervalMs: number;
  /** The pause after a first refusal of the credentials; it grows with each. */
  refusalPauseMs: number;
  /** Milliseconds for which calls may still be made; those under way are aborted when nothing is left. */
  callLeftMs(): number;
  onReady(): void;
  onOfferChanged(offerId: string): void;
}

/** Steam sometimes refuses correct credentials; ArchiSteamFarm believes the third refusal (Bot.cs). */
const REFUSALS_TO_BELIEVE = 3;
const REFUSAL_GROWTH = 4;

/** A token is renewed in its last month, with one attempt a day. */
const RENEW_BEFORE_MS = 30 * day;
const RENEW_EVERY_MS = day;

/** The rest of a pause between log-ons. */
interface Rest {
  leftMs: number;
  failures: number;
  fault: string | null;
}
const noRest = { logOnPausedAtMs: 0, logOnPauseMs: 0, logOnFailures: 0 };

function restOf({ fault, logOnPausedAtMs, logOnPauseMs, logOnFailures }: typeof bots.$inferSelect): Rest {
  const leftMs = leftOf({ atMs: logOnPausedAtMs, lengthMs: logOnPauseMs }, Date.now());
  return { leftMs, failures: logOnFailures, fault };
}

/** Returns whether the operator may have mended this with the restart, so that it is tried at once. */
const isOperators = (fault: BotFault) => fault === 'credentialsRefused';

/** One trade bot under the lease `steam`: its session, and its row in the database. */
export class SteamBot {
  readonly id: string;
  readonly #parts: SteamBotParts;
  readonly #log;
  /** The account was not at hand for a while, because the lease was not renewed in time. */
  #hasLapsed = false;
  #session: SteamSession | null = null;
  #account: LiveAccount | null = null;
  #retryAtMs = 0;
  #failures = 0;
  #fault: BotFault | null = null;
  #acknowledged = false;
  #refusals = 0;
  #refusedTokens = new Set<string>();
  #knownSteamId: string | null = null;
  /** A token that Steam gave and that is not stored yet. */
  #unsavedToken: string | null = null;
  #tokenExpiresAtMs = Number.POSITIVE_INFINITY;
  #loggedOnAtMs = 0;
  /** Facts that the database has not taken; the next heartbeat writes them again. */
  #unstored: BotFacts | null = null;
  /** The pause that an earlier process began. */
  #stored: Rest & { isRead: boolean } = { leftMs: 0, failures: 0, fault: null, isRead: false };

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
    const isOurs = this.#parts.deps.lease.isHeld();
    if (!isOurs) this.#hasLapsed = true;
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

  /** Logs on when due. Called at every heartbeat, while the lease is held. System time. */
  async tend(systemMs: number): Promise<void> {
    const hasLapsed = this.#hasLapsed;
    this.#hasLapsed = false;
    if (this.#unstored) await this.#report({});
    if (this.#account && this.#session?.isReady) {
      await this.#acknowledge(this.#account);
      if (hasLapsed) this.#parts.onReady();
      if (!this.#isRenewalDue(systemMs)) return;
      this.#log.info({ bot: this.id }, 'the refresh token expires soon; logging on anew to renew it');
      this.#endSession();
    }
    if (this.#session?.hasTimedOut) await this.#timeOut(this.#session);
    if (!this.#session && steadyMs() >= this.#retryAtMs) await this.#logOn();
  }

  /** Steam renews a token only at an explicit log-on with it, so a long session has to be interrupted. */
  #isRenewalDue(systemMs: number): boolean {
    const isLate = this.#tokenExpiresAtMs - systemMs < RENEW_BEFORE_MS;
    return isLate && systemMs - this.#loggedOnAtMs >= RENEW_EVERY_MS;
  }

  /** Starts over at once after a first log-on without an answer, and after growing pauses from then on. */
  async #timeOut(session: SteamSession): Promise<void> {
    const { fault, next } = session.isLoggedOn ? withoutWebSession : verdictOfLogOn(0);
    this.#endSession();
    steamErrors.inc({ code: fault });
    this.#log.warn({ bot: this.id, fault }, 'the log-on timed out; starting over');
    const pauseMs =
      this.#failures === 0 || !next.again
        ? 0
        : Math.min(next.pauseMs * 2 ** (this.#failures - 1), next.maxPauseMs);
    this.#failures += 1;
    await this.#recordFault(fault, pauseMs);
  }

  /** Leaves the account to another process: it is logged off at once, and not logged on again. */
  leave(): void {
    this.#retryAtMs = Number.POSITIVE_INFINITY;
    this.#endSession();
  }

  /** Logs off. What another process has recorded since stays. */
  async stop(): Promise<void> {
    this.leave();
    await recordBotStop(this.#parts.deps.db, this.id).catch((error) => {
      if (!(error instanceof LeaseLost)) throw error;
    });
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
    if (this.#isResting()) return;
    this.#loggedOnAtMs = Date.now();
    if (!(await this.#report({ state: 'starting', fault: this.#fault }))) return;
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
    // Not awaited: a queue of log-ons must not delay the heartbeats.
    void this.#parts.limiters.logins
      .take(async () => {
        if (this.#session !== session) return;
        // Another process may have logged on during the wait, and would lose its session.
        if (this.#parts.deps.lease.isHeld()) await session.start(details);
        else this.#endSession();
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
    this.#stored = { ...this.#stored, ...(row && !this.#stored.isRead && restOf(row)), isRead: true };
    const stored = row?.refreshTokenSealed ? this.#open(row.refreshTokenSealed) : null;
    const configured = 'refreshToken' in credentials ? credentials.refreshToken : null;
    const tokens = [this.#unsavedToken, stored, configured].filter((token) => token !== null);
    const read = tokens.map((token) => ({ token, ...readRefreshToken(token, Date.now()) }));
    const usable = read.flatMap((each) => (each.ok && !this.#refusedTokens.has(each.token) ? [each] : []));
    const [newest] = usable.sort((a, b) => b.expiresAtMs - a.expiresAtMs);
    this.#tokenExpiresAtMs = newest?.expiresAtMs ?? Number.POSITIVE_INFINITY;
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

  /** Goes on with a pause that an earlier process began. Returns whether there is one. */
  #isResting(): boolean {
    const { leftMs, failures, fault } = this.#stored;
    this.#stored = { leftMs: 0, failures: 0, fault: null, isRead: true };
    this.#failures += failures;
    if (leftMs === 0) return false;
    this.#fault = fault as BotFault | null;
    this.#retryAtMs = steadyMs() + leftMs;
    this.#log.info(
      { bot: this.id, fault, ms: leftMs },
      'the bot waits before it logs on, as before the restart',
    );
    return true;
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
    const { lease, vault } = this.#parts.deps;
    this.#unsavedToken = token;
    const read = readRefreshToken(token, Date.now());
    if (read.ok) this.#tokenExpiresAtMs = read.expiresAtMs;
    await storeRefreshToken(lease.store, this.id, vault.seal(token, `bot:${this.id}`));
    if (this.#unsavedToken === token) this.#unsavedToken = null;
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
      const { callLeftMs: leftMs } = this.#parts;
      const account = new LiveAccount({
        botId: this.id,
        steamId,
        identitySecret,
        session,
        limiters,
        leftMs,
      });
      await this.#acknowledge(account);
      // The session may have ended during the wait, and its account with it.
      if (this.#session !== session) return;
      this.#account = account;
      this.#failures = 0;
      this.#refusals = 0;
      this.#fault = null;
      await recordHeartbeat(db, this.id, { systemMs: Date.now(), nowMs: clock.now() }).catch((err) =>
        this.#log.error({ err, bot: this.id }, "the bot's first heartbeat could not be stored"),
      );
      await this.#report({ state: 'ready', fault: null, steamId, ...noRest });
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
    await this.#report({ protectionAcknowledged: true });
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

  /** Stores facts together with those that could not be stored before. Returns false if they could not be either. */
  async #report(facts: BotFacts): Promise<boolean> {
    const all = { ...this.#unstored, ...facts };
    this.#unstored = all;
    try {
      await reportBot(this.#parts.deps.db, this.id, all);
    } catch (err) {
      this.#log.error({ err, bot: this.id }, "the bot's state could not be stored; trying again");
      return false;
    }
    if (this.#unstored === all) this.#unstored = null;
    return true;
  }

  async #recordFault(fault: BotFault, pauseMs: number): Promise<void> {
    this.#fault = fault;
    this.#retryAtMs = steadyMs() + pauseMs;
    const canRetry = Number.isFinite(pauseMs);
    const state = canRetry ? 'offline' : 'broken';
    if (state === 'broken')
      this.#log.error({ bot: this.id, fault }, 'the bot cannot log on until an operator intervenes');
    const rest =
      canRetry && !isOperators(fault) ? { logOnPausedAtMs: Date.now(), logOnPauseMs: pauseMs } : {};
    const facts = { state, fault, ...noRest, ...rest, logOnFailures: this.#failures } as const;
    await this.#report(facts);
  }
}
