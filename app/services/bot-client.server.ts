import { config } from '#app/config.server.ts';
import { processLog } from '#app/http/logger.server.ts';
import { database } from '#app/services/database.server.ts';
import { listLeases } from '#domain/bot/list-leases.ts';
import type { LeaseName } from '#domain/bot/take-leases.ts';
import { isLoopback } from '#platform/configuration-checks.ts';
import { currentRequestId, REQUEST_ID_HEADER } from '#platform/request-id.ts';
import { traceHeaders } from '#platform/tracing.ts';

/**
 * The bot process's answer: a body, or the code of its refusal. `unreachable` if it did not answer; `late` if its
 * answer, which may wait for Steam, took too long.
 */
export type BotAnswer = { ok: true; body: unknown } | { ok: false; code: string };

/** A user waits for the answer, and the bot may have to wait for its turn at Steam. */
const ASK_DEADLINE_MS = 20_000;
/** After so long without an answer, its process is asked whether it answers at all, and given up if it does not. */
const SILENT_AFTER_MS = 1_000;
const ALIVE_DEADLINE_MS = 2_500;
const NUDGE_DEADLINE_MS = 2_000;
/** The operator's page says so if the bot does not answer. */
const STATE_DEADLINE_MS = 3_000;
/** Prometheus itself waits ten seconds. */
const METRICS_DEADLINE_MS = 8_000;
/** Longer than the bot's own timeout for Twitch. */
const LEAVE_DEADLINE_MS = 12_000;

interface Sending {
  headers?: Record<string, string>;
  silence?: AbortSignal;
  /** The process to ask, if not the one at `BOT_URL`. */
  at?: URL;
}

async function send(
  path: string,
  method: 'GET' | 'POST',
  deadlineMs: number,
  { headers = {}, silence, at }: Sending = {},
): Promise<Response> {
  const { botUrl, botSecret } = config();
  const id = currentRequestId();
  const response = await fetch(new URL(path, at ?? botUrl), {
    method,
    headers: {
      'X-Bot-Secret': botSecret,
      ...(id && { [REQUEST_ID_HEADER]: id }),
      ...traceHeaders(),
      ...headers,
    },
    signal: AbortSignal.any([AbortSignal.timeout(deadlineMs), ...(silence ? [silence] : [])]),
  });
  reportRefusal(response.status === 401);
  return response;
}

let isRefused = false;

/** Says once that the bot refuses this process's secret, and again only after the bot has accepted it. */
function reportRefusal(refused: boolean): void {
  if (refused && !isRefused)
    processLog.error(
      'the bot refuses the secret of this process: give web and bot the same BOT_SECRET, or the same data folder',
    );
  isRefused = refused;
}

/**
 * Asks the bot process for facts that only it can know. It caches and retries by itself, so this does not
 * retry. A process that hangs is noticed within seconds, however long Steam may take.
 */
export const callBot = (path: string): Promise<BotAnswer> =>
  askHolder('steam', (at) => askUnlessSilent(path, at));

async function askUnlessSilent(path: string, at?: URL): Promise<BotAnswer> {
  const silence = new AbortController();
  const watching = setTimeout(() => {
    send('/healthz', 'GET', ALIVE_DEADLINE_MS, { at })
      .then((response) => response.body?.cancel())
      .catch((error: unknown) => silence.abort(error));
  }, SILENT_AFTER_MS);
  try {
    return await ask(path, 'GET', ASK_DEADLINE_MS, { silence: silence.signal, at });
  } finally {
    clearTimeout(watching);
  }
}

/** Asks the bot process how it is doing. */
export const askBotState = (): Promise<BotAnswer> => ask('/state', 'GET', STATE_DEADLINE_MS);

/** Reads the bot process's measurements in Prometheus' text format; null if it does not answer. */
export async function readBotMetrics(token: string): Promise<{ text: string; type: string } | null> {
  const headers = { Authorization: `Bearer ${token}` };
  try {
    const response = await send('/metrics', 'GET', METRICS_DEADLINE_MS, { headers });
    const text = await response.text();
    return response.ok ? { text, type: response.headers.get('Content-Type') ?? 'text/plain' } : null;
  } catch (error) {
    processLog.warn({ err: error }, 'the bot did not answer with its measurements');
    return null;
  }
}

/**
 * Makes the bot turn a channel's custom rewards off on Twitch and settle open redemptions while it still has a grant
 * for it.
 */
export const leaveByBot = (channelId: string): Promise<BotAnswer> =>
  askHolder('twitch:0', (at) => ask(`/channels/${channelId}/leave`, 'POST', LEAVE_DEADLINE_MS, { at }));

/** Answers of a process that has not the part, among other reasons. */
const absences: ReadonlySet<string> = new Set(['unreachable', 'steamUnavailable', 'twitchSilent']);

/** Asks the bot at `BOT_URL`, and if that has not the part, the process that leased it. */
async function askHolder(part: LeaseName, request: (at?: URL) => Promise<BotAnswer>): Promise<BotAnswer> {
  const answer = await request();
  if (answer.ok || !absences.has(answer.code)) return answer;
  const holder = await findHolder(part);
  return holder ? request(holder) : answer;
}

/** Returns the address of another process that has a part; null if there is none that could be reached. */
async function findHolder(part: LeaseName): Promise<URL | null> {
  const { botUrl } = config();
  try {
    const leases = await listLeases((await database()).read);
    const held = leases.find(({ name, leftMs }) => name === part && leftMs > 0);
    if (!held?.address) return null;
    const address = new URL(held.address);
    // A process on another machine that was not told its own address.
    const isElsewhere = isLoopback(address.hostname) && !isLoopback(botUrl.hostname);
    return isElsewhere || address.href === botUrl.href ? null : address;
  } catch (error) {
    processLog.warn({ err: error, part }, 'could not find out which process has a part');
    return null;
  }
}

async function ask(
  path: string,
  method: 'GET' | 'POST',
  deadlineMs: number,
  { silence, at }: Sending = {},
): Promise<BotAnswer> {
  try {
    const response = await send(path, method, deadlineMs, { silence, at });
    const body: unknown = await response.json();
    if (response.ok) return { ok: true, body };
    const code = (body as { code?: unknown } | null)?.code;
    return { ok: false, code: typeof code === 'string' ? code : 'unreachable' };
  } catch (error) {
    const isLate = silence?.aborted === false && error instanceof Error && error.name === 'TimeoutError';
    processLog.warn({ err: error, path }, isLate ? 'the bot answers too late' : 'the bot did not answer');
    return { ok: false, code: isLate ? 'late' : 'unreachable' };
  }
}

/** In a rush on claims the bot is nudged once in this time, and not for each of them. */
const NUDGE_EVERY_MS = 100;
let nudgedMs = Number.NEGATIVE_INFINITY;
let isNudgeDue = false;

/** Nudges the bot, without waiting. A lost nudge costs seconds, because the bot also polls. */
export function nudgeBot(): void {
  if (isNudgeDue) return;
  isNudgeDue = true;
  setTimeout(nudge, Math.max(0, nudgedMs + NUDGE_EVERY_MS - performance.now())).unref();
}

function nudge(): void {
  isNudgeDue = false;
  nudgedMs = performance.now();
  send('/nudge', 'POST', NUDGE_DEADLINE_MS)
    .then((response) => response.body?.cancel())
    .catch((error: unknown) => processLog.debug({ err: error }, 'could not nudge the bot'));
}
