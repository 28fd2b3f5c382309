import { createHash, randomUUID, timingSafeEqual } from 'node:crypto';
import { isIP } from 'node:net';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { z } from 'zod';
import { measureBackups } from '#bot/backup-metrics.ts';
import type { BotDeps, BotPart } from '#bot/deps.ts';
import { readMetrics, registry, serverErrors } from '#bot/metrics.ts';
import { measureParts } from '#bot/part-metrics.ts';
import { gameOf, games } from '#bot/steam/games.ts';
import type { SteamPart } from '#bot/steam/start-steam.ts';
import type { SteamCode, SteamFailure } from '#bot/steam/steam-account.ts';
import { measureStorage } from '#bot/storage-metrics.ts';
import type { Tracking } from '#bot/twitch/start-tracking.ts';
import { measureWork } from '#bot/work-metrics.ts';
import { findSendingStop } from '#domain/bot/find-sending-stop.ts';
import { listWork } from '#domain/bot/list-work.ts';
import { countConcerns } from '#domain/custody/list-concerns.ts';
import { proveWrites } from '#domain/operator/prove-writes.ts';
import { type BackupStatus, isBackedUpHere, readBackupStatus } from '#platform/backup-status.ts';
import { isLoopback } from '#platform/configuration-checks.ts';
import { recentFaults } from '#platform/recent-faults.ts';
import { isRequestId, REQUEST_ID_HEADER, withRequestId } from '#platform/request-id.ts';
import { readSavedBackups } from '#platform/saved-backups.ts';
import { sharedCheck } from '#platform/shared-check.ts';
import { steadyMs } from '#platform/steady-time.ts';
import { httpOutcome, inTraceOf, traced } from '#platform/tracing.ts';

export interface ServerDeps extends Pick<BotDeps, 'clock' | 'config' | 'db' | 'log'> {
  steam: SteamPart;
  twitch: Pick<Tracking, 'leaveChannel'>;
  /** All parts of the process, Steam included. */
  parts: readonly BotPart[];
}

const DEEP_HEALTH = '/healthz?deep';
/** However many ask, a row is written no oftener. */
const PROOF_FRESH_MS = 5_000;

/** Node writes the names of headers in lower case. */
const ID_HEADER = REQUEST_ID_HEADER.toLowerCase();

const steamId = z.string().regex(/^7656119\d{10}$/);
const inventoryPath = z.object({ steamId, appId: z.coerce.number().int(), contextId: z.string() });
const channelPath = z.object({ channelId: z.string().regex(/^\d{1,20}$/) });
const userId = z.string().min(1).max(64);
const inventoryQuery = z.object({ userId, refresh: z.enum(['0', '1']).default('0') });
const readinessQuery = z.object({
  userId,
  steamId,
  tradeToken: z.string().regex(/^[\w-]{8}$/),
  botId: z.string().max(64).optional(),
});

/** The HTTP status for each Steam failure. */
const statusOf: Record<SteamCode, number> = {
  steamTokenInvalid: 422,
  inventoryUnavailable: 422,
  inventoryPrivate: 403,
  itemUnavailable: 422,
  stackThere: 409,
  stackChanged: 409,
  tradeBanned: 422,
  gameBanned: 422,
  partnerCannotTrade: 422,
  botRestricted: 503,
  offerLimit: 503,
  offerUnknown: 404,
  offerClosed: 409,
  steamSessionLost: 503,
  friendsOnly: 409,
  inventoryFull: 409,
  botRenamed: 503,
  sendingLimited: 503,
  steamBusy: 503,
  steamUnavailable: 503,
  answerLost: 503,
};

/**
 * The bot's own API, for callers with the secret (`x-bot-secret`) that web and bot share. It serves what only
 * the bot knows; a lost nudge costs only seconds.
 */
export function build(deps: ServerDeps): FastifyInstance {
  const { log, twitch, parts } = deps;
  const server = Fastify({
    logger: false,
    bodyLimit: 1024,
    forceCloseConnections: true,
    genReqId: ({ headers }) => (isRequestId(headers[ID_HEADER]) ? headers[ID_HEADER] : randomUUID()),
  });
  const { secret } = deps.config;

  // Added first, so that every log line of a request names it.
  server.addHook('onRequest', (request, reply, done) => {
    const { id, method, routeOptions } = request;
    const span = { route: routeOptions.url ?? '', requestId: id };
    const answer = () =>
      new Promise<number>((answered) => {
        reply.raw.once('close', () => answered(reply.raw.statusCode));
        done();
      });
    void withRequestId(id, () =>
      inTraceOf(request.headers, () => traced(`bot ${method}`, span, answer, httpOutcome)),
    );
  });
  server.addHook('onRequest', async (request, reply) => {
    if (isFromBrowser(request) || !(isOwnName(request.headers.host, deps.config) || isOldProbe(request)))
      return reply.code(403).send({ code: 'foreign' });
    // Prometheus has a token of its own.
    if (isHealth(request) || request.url === '/metrics') return;
    if (!isSame(request.headers['x-bot-secret'], secret)) await reply.code(401).send({ code: 'secretWrong' });
  });
  server.setErrorHandler((error: Error, request, reply) => {
    const { statusCode = error instanceof z.ZodError ? 400 : 500 } = error as { statusCode?: number };
    if (statusCode < 500) return reply.code(statusCode).send({ code: 'badRequest' });
    log.error({ err: error, url: request.url }, 'a request failed');
    return reply.code(500).send({ code: 'internal' });
  });
  server.addHook('onResponse', async (_request, { statusCode }) => {
    if (statusCode >= 500) serverErrors.inc({ status: statusCode });
  });
  server.setNotFoundHandler((_request, reply) => reply.code(404).send({ code: 'notFound' }));

  const findRefusal = sharedCheck(() => refusalToWrite(deps), PROOF_FRESH_MS);
  addHealth(server, deps, findRefusal);
  addState(server, deps);
  addSteam(server, deps);
  addMetrics(server, deps, findRefusal);

  server.post('/nudge', (_request, reply) => {
    for (const part of parts) part.nudge();
    return reply.code(202).send({ ok: true });
  });

  server.post('/channels/:channelId/leave', async (request, reply) => {
    const { channelId } = channelPath.parse(request.params);
    return (await twitch.leaveChannel(channelId))
      ? reply.send({ ok: true })
      : reply.code(503).send({ code: 'twitchSilent' });
  });

  return server;
}

/**
 * Returns whether a page in a browser sent the request. A site whose name was pointed at the bot may send
 * neither header, but then `Host` is that site's name.
 */
const isFromBrowser = ({ headers }: FastifyRequest): boolean =>
  headers.origin !== undefined || headers['sec-fetch-site'] !== undefined;

/**
 * Returns whether this is a name of the bot. No site can make an address, or this machine's own name, lead
 * somewhere else.
 */
function isOwnName(named: string | undefined, { host, botUrl }: ServerDeps['config']): boolean {
  const [, hostname = ''] = /^(\[[\da-f:.]+\]|[\w.-]+)(?::\d+)?$/.exec(named?.toLowerCase() ?? '') ?? [];
  const isAddress = isIP(hostname.replaceAll(/^\[|\]$/g, '')) !== 0;
  return isAddress || isLoopback(hostname) || [host, botUrl.hostname].includes(hostname);
}

const isHealth = ({ url }: FastifyRequest): boolean => url === '/healthz' || url === DEEP_HEALTH;

/**
 * A health check in HTTP/1.0 names no host. Browsers always name one, so such a request does not come from a
 * site.
 */
const isOldProbe = (request: FastifyRequest): boolean =>
  request.headers.host === undefined && isHealth(request) && /^(::1|(::ffff:)?127\.[\d.]+)$/.test(request.ip);

const reportsOf = (parts: readonly BotPart[]): ReturnType<BotPart['report']> =>
  Object.assign({}, ...parts.map((part) => part.report()));

/** Reads the backup status; null if a PostgreSQL has no backups of ours, because then others make them. */
function backupsOf({ backupFolder, databaseUrl }: ServerDeps['config']): BackupStatus | null {
  const status = readBackupStatus(backupFolder);
  return databaseUrl === null || isBackedUpHere(status) ? status : null;
}

/** Like `backupsOf`, with the number of backups. */
function backupFactsOf(config: ServerDeps['config']) {
  const status = backupsOf(config);
  return status && { ...status, saved: readSavedBackups(config.backupFolder, status.backup?.backup ?? null) };
}

/** Finds out why the database does not take a row; null if it does. */
type FindRefusal = () => Promise<string | null>;

async function refusalToWrite({ db, log }: ServerDeps): Promise<string | null> {
  const code = await proveWrites(db, Date.now());
  if (code !== null) log.error({ code }, 'the database takes no row');
  return code;
}

/**
 * `/healthz`: the process is up; with `?deep`, a row can be written. `/readyz`: the state of each part, custody's open
 * questions for the operator, the time since when sending is stopped, and the results of the last backup and drill.
 */
function addHealth(
  server: FastifyInstance,
  { clock, config, db, log, parts }: ServerDeps,
  findRefusal: FindRefusal,
): void {
  const readStored = async () => {
    const stop = await findSendingStop(db.read);
    return {
      custody: await countConcerns(db.read, clock.now()),
      sendingStopped: stop && { sinceMs: stop.stoppedAtMs, by: stop.stoppedBy },
    };
  };
  server.get('/healthz', async ({ url }, reply) => {
    const ok = url !== DEEP_HEALTH || (await findRefusal()) === null;
    return reply.code(ok ? 200 : 503).send({ ok });
  });

  server.get('/readyz', async (_request, reply) => {
    const reports = reportsOf(parts);
    const stored = await readStored().catch((error: unknown) => {
      log.error({ err: error }, 'the database does not answer');
      return null;
    });
    const refusal = await findRefusal();
    const database = !stored
      ? { state: 'faulty' }
      : refusal === null
        ? { state: 'ready' }
        : { state: 'faulty', detail: `it takes no row (${refusal})` };
    // One broken trade bot does not make the process unready.
    const backups = backupsOf(config);
    const whole = Object.entries(reports).filter(([name]) => !name.startsWith('steam: '));
    const ready =
      database.state === 'ready' && whole.every(([, { state }]) => state === 'ready' || state === 'off');
    return reply.code(ready ? 200 : 503).send({
      ready,
      parts: { database, ...reports },
      custody: stored?.custody ?? null,
      sendingStopped: stored?.sendingStopped ?? null,
      ...(backups && { backups }),
    });
  });
}

/** The state of this process for the operator's page: unlike `/readyz`, always with the status 200. */
function addState(server: FastifyInstance, { config, parts }: ServerDeps): void {
  const startedAtMs = Date.now() - Math.round(process.uptime() * 1000);
  server.get('/state', () => ({
    startedAtMs,
    parts: reportsOf(parts),
    backups: backupFactsOf(config),
    faults: recentFaults.list(),
  }));
}

/** Measurements for Prometheus, for callers with METRICS_TOKEN. */
function addMetrics(
  server: FastifyInstance,
  { clock, config, db, parts }: ServerDeps,
  findRefusal: FindRefusal,
): void {
  server.get('/metrics', async (request, reply) => {
    const { metricsToken } = config;
    if (!metricsToken || !isSame(request.headers.authorization, `Bearer ${metricsToken}`))
      return reply.code(404).send({ code: 'notFound' });
    measureBackups(backupsOf(config), Date.now());
    measureParts(reportsOf(parts));
    measureWork(await listWork(db.read));
    await measureStorage(config, db.read, await findRefusal());
    return reply.type(registry.contentType).send(await readMetrics(db.read, clock.now()));
  });
}

/** Steam data for the web process: inventories and whether a trade link works. */
function addSteam(server: FastifyInstance, { log, steam }: ServerDeps): void {
  server.get('/games', () => ({
    games: games.map(({ appId, name, contextId }) => ({ appId, name, contextId })),
  }));

  // Read by `keepsake doctor`, not by the web process: it asks Steam a dozen times.
  server.post('/self-tests', async () => ({ bots: await steam.testNow() }));

  server.get('/inventories/:steamId/:appId/:contextId', async (request, reply) => {
    const path = inventoryPath.parse(request.params);
    const { userId, refresh } = inventoryQuery.parse(request.query);
    // Only tradable contexts are offered; the protected ones are visible to their owner alone.
    if (gameOf(path.appId)?.contextId !== path.contextId)
      return reply.code(404).send({ code: 'gameNotOffered' });
    const answer = await steam.inventories.read({ ...path, userId }, { refresh: refresh === '1' });
    if (!answer.ok && answer.code === 'readTooOften')
      return reply
        .code(429)
        .header('retry-after', Math.ceil(answer.waitMs / 1000))
        .send({ code: answer.code });
    if (!answer.ok) return refuse(reply, answer);
    const { readAtMs, ...inventory } = answer.value;
    return reply.send({ ...inventory, ageMs: steadyMs() - readAtMs });
  });

  server.get('/readiness', async (request, reply) => {
    const query = readinessQuery.parse(request.query);
    const answer = await steam.readiness(query);
    if (answer.ok) return reply.send({ tokenValid: true, ...answer.value });
    if (answer.code === 'steamTokenInvalid') return reply.send({ tokenValid: false });
    return refuse(reply, answer);
  });

  function refuse(reply: FastifyReply, { code, detail }: SteamFailure) {
    const status = statusOf[code];
    if (status >= 500) log.warn({ code, detail }, 'the request to Steam failed');
    if (status === 503) reply.header('retry-after', '10');
    return reply.code(status).send({ code });
  }
}

const digest = (value: string) => createHash('sha256').update(value).digest();
const isSame = (given: unknown, secret: string) =>
  typeof given === 'string' && timingSafeEqual(digest(given), digest(secret));
