import Request from 'request';
import { askServer, reasonOf } from './ask.ts';
import type { Finding } from './finding.ts';

/** Steam tolerates 60 seconds in codes of the authenticator (`skew_tolerance_seconds` of the same answer). */
const TOLERATED_MS = 30_000;
const DEADLINE_MS = 10_000;

/** The consequences of a difference to each clock. */
const whys = {
  "Steam's": 'Steam refuses codes of the authenticator, and deadlines are wrong.',
  "Twitch's":
    'Ahead by more than a minute, the bot takes every command in chat for an old one and answers none; deadlines and watch time are wrong.',
  "the database's":
    'One of both is wrong: Steam may refuse codes of the authenticator, and deadlines are wrong.',
};

/**
 * Compares this machine's clock with Twitch's, which dates its answers (RFC 9110, 6.6.1: whole seconds). Says nothing if
 * there is no answer: `examineTwitchApplication` does.
 */
export async function examineTwitchClock(
  authUrl: URL,
  readSystemMs: () => number = Date.now,
): Promise<Finding[]> {
  const beganMs = readSystemMs();
  const { headers } = await askServer(`${authUrl.href.replace(/\/$/, '')}/validate`);
  const atMs = Date.parse(headers.get('date') ?? '');
  return Number.isNaN(atMs) ? [] : compareClocks("Twitch's", atMs, (beganMs + readSystemMs()) / 2);
}

/** Compares this machine's clock with Steam's, through the proxy for Steam if there is one. */
export async function examineSteamClock(
  proxy: string | undefined,
  readSystemMs: () => number = Date.now,
): Promise<Finding[]> {
  const beganMs = readSystemMs();
  const read = await readSteamMs(proxy);
  if (!read.ok)
    return [
      {
        name: 'steamUnreachable',
        what: `Steam does not answer (${read.reason}).`,
        why: 'Items can be neither deposited nor delivered.',
        remedy: 'Check the network, STEAM_HTTP_PROXY and steamstat.us, and run this again.',
      },
    ];
  return compareClocks("Steam's", read.atMs, (beganMs + readSystemMs()) / 2);
}

/** Returns the finding about another clock, read at this time of ours. */
export function compareClocks(whose: keyof typeof whys, theirsMs: number, oursMs: number): Finding[] {
  const differenceMs = theirsMs - oursMs;
  if (Math.abs(differenceMs) <= TOLERATED_MS) return [];
  const seconds = Math.round(Math.abs(differenceMs) / 1000);
  return [
    {
      name: whose === "the database's" ? 'databaseClockWrong' : 'clockWrong',
      what: `The clock of this machine is ${seconds} s ${differenceMs > 0 ? 'behind' : 'ahead of'} ${whose}.`,
      why: whys[whose],
      remedy: 'Let the machine synchronize its clock: timedatectl set-ntp true',
    },
  ];
}

/** Steam's time needs no key and no session; it counts whole seconds. */
function readSteamMs(
  proxy: string | undefined,
): Promise<{ ok: true; atMs: number } | { ok: false; reason: string }> {
  const options = {
    url: 'https://api.steampowered.com/ITwoFactorService/QueryTime/v1/',
    json: true,
    timeout: DEADLINE_MS,
    ...(proxy && { proxy }),
  };
  return new Promise((resolve) => {
    Request.post(options, (error: unknown, response, body: { response?: { server_time?: unknown } }) => {
      const seconds = Number(body?.response?.server_time);
      if (seconds > 0) resolve({ ok: true, atMs: seconds * 1000 });
      else resolve({ ok: false, reason: error ? reasonOf(error) : `status ${response.statusCode}` });
    });
  });
}
