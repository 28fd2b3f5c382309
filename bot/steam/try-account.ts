import { setTimeout as delay } from 'node:timers/promises';
import { generateAuthCode, getConfirmationKey, time as guardTime } from 'steam-totp';
import { z } from 'zod';
import { createLog } from '#bot/log.ts';
import type { BotFault } from '#bot/steam/log-on-fault.ts';
import { callbackToPromise } from '#bot/steam/steam-clients.ts';
import { withDeadline } from '#bot/steam/steam-failure.ts';
import { type LogOnDetails, SteamSession } from '#bot/steam/steam-session.ts';
import { getJson, postJson } from '#bot/steam/web-get.ts';
import { amount, readableRows } from '#bot/steam/web-rows.ts';
import type { SteamCredentials } from '#platform/steam-bots-file.ts';

/** Steam's facts about an account that logged on; null for those it did not report. */
export interface AccountReport {
  steamId: string;
  /** True if Steam accepts a signature by the identity secret. */
  isIdentityAccepted: boolean | null;
  /** Time at which its authenticator was added or moved to another device. */
  authenticatorSinceMs: number | null;
  isLimited: boolean | null;
  isLocked: boolean | null;
  isTradeBanned: boolean | null;
  /** A token that Steam gave for the password; nothing stores it. */
  refreshToken: string | null;
}

export type TrialOutcome = { ok: true; report: AccountReport } | { ok: false; fault: BotFault };

export interface TrialOptions {
  credentials: SteamCredentials;
  /**
   * Replaces the entry's token or password: a token from an earlier trial, because each code counts only
   * once.
   */
  refreshToken?: string | undefined;
  proxy: string | null;
  /** Ends the wait. */
  signal?: AbortSignal | undefined;
  deadlineMs?: number;
}

const LOG_ON_DEADLINE_MS = 60_000;
const CALL_DEADLINE_MS = 20_000;

function detailsOf({ credentials, refreshToken }: TrialOptions): LogOnDetails {
  if (refreshToken !== undefined) return { refreshToken };
  if ('refreshToken' in credentials) return { refreshToken: credentials.refreshToken };
  const { accountName, password, sharedSecret } = credentials;
  return { accountName, password, guardCode: (ahead) => generateAuthCode(sharedSecret, ahead) };
}

/**
 * Logs an account on, asks Steam about everything that would keep it from trading, and logs it off. A session
 * that a running bot may have goes on beside it. A token must have been read before (`readRefreshToken`).
 * Never sends, confirms or changes anything, and never throws; `steamUnavailable` also if Steam did not
 * answer in time.
 */
export async function tryAccount(options: TrialOptions): Promise<TrialOutcome> {
  const { credentials, proxy, signal, deadlineMs = LOG_ON_DEADLINE_MS } = options;
  let refreshToken: string | null = null;
  const stop = new AbortController();
  const { promise: ended, resolve: end } = awaitable<BotFault | null>();
  const session = new SteamSession(
    { proxy: credentials.proxy ?? proxy, pollIntervalMs: -1, isTrial: true },
    {
      saveRefreshToken: async (token) => {
        refreshToken = token;
      },
      onReady: () => end(null),
      onEnded: ({ fault }) => end(fault),
      onOfferChanged: () => {},
    },
    createLog('silent'),
  );
  const stopped = AbortSignal.any([stop.signal, ...(signal ? [signal] : [])]);
  const late = delay(deadlineMs, 'steamUnavailable' as const, { signal: stopped }).catch(
    () => 'steamUnavailable' as const,
  );
  try {
    session.start(detailsOf(options)).catch(() => end('steamUnavailable'));
    const fault = await Promise.race([ended, late]);
    if (fault !== null) return { ok: false, fault };
    return { ok: true, report: { ...(await ask(session, credentials.identitySecret)), refreshToken } };
  } finally {
    stop.abort();
    session.end();
  }
}

function awaitable<T>() {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((give) => {
    resolve = give;
  });
  return { promise, resolve };
}

/** Asks for all facts; null for an answer that does not come. */
async function ask(
  session: SteamSession,
  identitySecret: string,
): Promise<Omit<AccountReport, 'refreshToken'>> {
  const steamId = session.clients.user.steamID?.getSteamID64() ?? '';
  const [isIdentityAccepted, authenticatorSinceMs, isTradeBanned] = await Promise.all([
    listConfirmations(session, identitySecret),
    orNull(readAuthenticator(session, steamId)),
    orNull(readTradeBan(session, steamId)),
  ]);
  // Steam sends this unasked after each log-on.
  const limits = session.clients.user.limitations;
  return {
    steamId,
    isIdentityAccepted,
    authenticatorSinceMs,
    isTradeBanned,
    isLimited: limits?.limited ?? null,
    isLocked: limits?.locked ?? null,
  };
}

const orNull = <T>(call: Promise<T>): Promise<T | null> =>
  withDeadline(call, CALL_DEADLINE_MS).catch(() => null);

/** The answers of steamcommunity.com to a wrong signature (waylaidwanderer/PHP-SteamCommunity#19). */
const WRONG_SIGNATURE = /invalid authenticator|incorrect steam guard codes/i;

/**
 * Returns whether Steam lists the confirmations for this secret; null if its answer was neither yes nor no.
 */
async function listConfirmations(session: SteamSession, identitySecret: string): Promise<boolean | null> {
  const { community } = session.clients;
  const seconds = guardTime(session.clockAheadSeconds);
  const key = { tag: 'list', key: getConfirmationKey(identitySecret, seconds, 'list') };
  try {
    await withDeadline(
      callbackToPromise((callback) => community.getConfirmations(seconds, key as never, callback)),
      CALL_DEADLINE_MS,
    );
    return true;
  } catch (error) {
    return WRONG_SIGNATURE.test((error as Error).message) ? false : null;
  }
}

/**
 * `CTwoFactor_Status_Response` of Steam's protocol; times are in seconds, and missing if there is no
 * authenticator.
 */
const statusAnswer = z.object({
  response: z.object({ time_created: amount, time_transferred: amount.nullish() }),
});

async function readAuthenticator(session: SteamSession, steamId: string): Promise<number | null> {
  const { body } = await postJson(
    session.clients.community,
    'https://api.steampowered.com/ITwoFactorService/QueryStatus/v1/',
    { query: { access_token: session.accessToken }, form: { steamid: steamId } },
  );
  const read = statusAnswer.safeParse(body);
  if (!read.success) return null;
  const { time_created, time_transferred } = read.data.response;
  return Math.max(time_created, time_transferred ?? 0) * 1000 || null;
}

/** `EconomyBan`: none, probation (banned for a time) or banned (partner.steamgames.com/doc/webapi/ISteamUser). */
const bansAnswer = z.object({ players: readableRows(z.object({ EconomyBan: z.string() })) });

async function readTradeBan(session: SteamSession, steamId: string): Promise<boolean | null> {
  const { body } = await getJson(
    session.clients.community,
    'https://api.steampowered.com/ISteamUser/GetPlayerBans/v1/',
    { steamids: steamId, access_token: session.accessToken },
  );
  const [player] = bansAnswer.safeParse(body).data?.players ?? [];
  return player ? player.EconomyBan !== 'none' : null;
}
