import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { type WebSocket, WebSocketServer } from 'ws';
import type { RequestFault } from '#sandbox/request-faults.ts';
import { replayOf } from '../shapes/replay.ts';
import { ChatGate } from './chat-gate.ts';
import type { TwitchContext } from './context.ts';
import { registerEventSub } from './event-sub.ts';
import { registerFaces } from './faces.ts';
import { registerHelix } from './helix.ts';
import { Refusal, refusalBody } from './http-answers.ts';
import { IrcServer } from './irc.ts';
import { registerOAuth } from './oauth.ts';
import { sendRateHeaders } from './rate-limit.ts';
import type { TwitchWorld } from './world.ts';

export interface TwitchOptions {
  world: TwitchWorld;
  /** 0 means any free port. */
  port: number;
  clientId: string;
  clientSecret: string;
  /** The redirect addresses that the application lists. Unset: it takes any. */
  redirectUris?: readonly string[];
  /** The polling interval for devices; Twitch says 5. */
  deviceIntervalSeconds?: number;
  /** Seconds of silence before an event socket gets a keepalive; Twitch uses 10. */
  keepaliveSeconds?: number;
  /** Points by which each bucket refills per second; Twitch's gain ten. */
  pointsPerSecond?: number;
  log?: TwitchContext['log'];
}

export interface RunningTwitch {
  port: number;
  /** For example http://localhost:3011, without a trailing slash. */
  url: string;
  close(): Promise<void>;
}

const silentLog: TwitchContext['log'] = { info() {}, warn() {}, error() {} };

/**
 * Starts the sandbox's Twitch on one loopback port: OAuth, Helix, EventSub and chat, laid out like Twurple's mock API.
 */
export async function startTwitch(options: TwitchOptions): Promise<RunningTwitch> {
  const context: TwitchContext = {
    world: options.world,
    chatGate: new ChatGate(options.world),
    clientId: options.clientId,
    clientSecret: options.clientSecret,
    redirectUris: options.redirectUris ?? [],
    deviceIntervalSeconds: options.deviceIntervalSeconds ?? 5,
    keepaliveSeconds: options.keepaliveSeconds ?? 10,
    pointsPerSecond: options.pointsPerSecond ?? 10,
    log: options.log ?? silentLog,
  };
  const app = Fastify({ forceCloseConnections: true, bodyLimit: 64 * 1024 });
  acceptForms(app);
  answerRefusals(app, context);
  applyFaults(app, options.world);
  registerOAuth(app, context);
  registerFaces(app, options.world);
  const eventSub = registerEventSub(registerHelix(app, context), context);
  const irc = new IrcServer(context);

  const upgrade = upgradeTo(options.world, { '/ws': eventSub, '/': irc });
  app.server.on('upgrade', upgrade);
  await app.listen({ port: options.port, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  const twin = await listenOnIPv6(app, port, upgrade, context);
  context.log.info(`the sandbox's Twitch is listening on http://localhost:${port}`);
  return {
    port,
    url: `http://localhost:${port}`,
    async close() {
      eventSub.close();
      irc.close();
      twin?.closeAllConnections();
      await Promise.all([app.close(), twin && new Promise((resolve) => twin.close(resolve))]);
    },
  };
}

function acceptForms(app: FastifyInstance): void {
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    (_request, body, done) => done(null, Object.fromEntries(new URLSearchParams(String(body)))),
  );
}

function answerRefusals(app: FastifyInstance, { log }: TwitchContext): void {
  const refuse = (request: FastifyRequest, reply: FastifyReply, status: number, message: string) => {
    const isOAuth = request.url.startsWith('/auth/');
    return reply.code(status).send(isOAuth ? { status, message } : refusalBody(status, message));
  };
  app.setErrorHandler<Error & { statusCode?: number }>((error, request, reply) => {
    const status = error instanceof Refusal ? error.status : (error.statusCode ?? 500);
    if (status >= 500) log.error({ err: error }, `${request.method} ${request.url} failed`);
    return refuse(request, reply, status, status >= 500 ? '' : error.message);
  });
  app.setNotFoundHandler((request, reply) => refuse(request, reply, 404, ''));
}

/** Applies faults before the effect (the request is not handled) or after it (only the answer is lost). */
function applyFaults(app: FastifyInstance, world: TwitchWorld): void {
  const lostAnswers = new WeakMap<FastifyRequest, RequestFault>();

  app.addHook('onRequest', async (request, reply) => {
    const path = request.url.split('?')[0] ?? '/';
    const fault = world.faults.takeRequestFault(request.method, path);
    if (!fault) return;
    if (fault.afterEffect) {
      lostAnswers.set(request, fault);
    } else if (fault.answer === 'drop') {
      reply.hijack();
      request.raw.socket.destroy();
    } else {
      await reply.code(fault.answer).send(faultBody(reply, fault.answer));
    }
  });

  app.addHook('onSend', async (request, reply, payload) => {
    const fault = lostAnswers.get(request);
    if (!fault) return answerOddly(world, request, reply, payload);
    if (fault.answer === 'drop') {
      request.raw.socket.destroy();
      return payload;
    }
    reply.code(fault.answer).type('application/json; charset=utf-8').removeHeader('location');
    return JSON.stringify(faultBody(reply, fault.answer));
  });
}

function answerOddly(world: TwitchWorld, request: FastifyRequest, reply: FastifyReply, payload: unknown) {
  const path = request.url.split('?')[0] ?? '/';
  if (reply.statusCode !== 200) return payload;
  const odd = world.faults.takeOddAnswer(request.method, path);
  const replayed = replayedIn(world, `${request.method} ${path.replace(/^\/(helix|mock)\//, '')}`, payload);
  if (!odd) return replayed;
  const body = JSON.stringify(odd.change(JSON.parse(String(replayed))));
  reply.removeHeader('content-length');
  return body;
}

/** The answer in the reported shapes that are replayed; its own text if there are none. */
function replayedIn(world: TwitchWorld, place: string, payload: unknown): unknown {
  const replay = replayOf(world);
  return replay.concerns(place) ? JSON.stringify(replay.answer(place, JSON.parse(String(payload)))) : payload;
}

function faultBody(reply: FastifyReply, status: number) {
  if (status === 429) sendRateHeaders(reply, 0, Date.now() + 1000);
  return refusalBody(status, status === 401 ? 'Invalid OAuth token' : 'Sandbox fault');
}

interface SocketServer {
  accept(socket: WebSocket, request: IncomingMessage): void;
}

function upgradeTo(world: TwitchWorld, servers: Record<string, SocketServer>) {
  const sockets = new WebSocketServer({ noServer: true, maxPayload: 64 * 1024 });
  return (request: IncomingMessage, stream: Duplex, head: Buffer): void => {
    const path = (request.url ?? '/').split('?')[0] ?? '/';
    const server = servers[path];
    // The chat's path is /, but faults call it /irc, because / matches every request.
    const fault = world.faults.takeRequestFault('GET', path === '/' ? '/irc' : path);
    if (server && !fault) {
      sockets.handleUpgrade(request, stream, head, (socket) => server.accept(socket, request));
      return;
    }
    const status = fault ? fault.answer : 404;
    if (status === 'drop') stream.destroy();
    else stream.end(`HTTP/1.1 ${status} Refused\r\nConnection: close\r\n\r\n`, () => stream.destroy());
  };
}

/** Twurple uses localhost for Helix and 127.0.0.1 for EventSub, and localhost may resolve to ::1 first. */
async function listenOnIPv6(
  app: FastifyInstance,
  port: number,
  upgrade: ReturnType<typeof upgradeTo>,
  { log }: TwitchContext,
): Promise<Server | null> {
  // The same timeout as the main server: a request on a connection that the server is closing gets no answer.
  const { keepAliveTimeout } = app.server;
  const twin = createServer({ keepAliveTimeout }, (request, response) => app.routing(request, response));
  twin.on('upgrade', upgrade);
  return new Promise((resolve, reject) => {
    twin.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') {
        reject(error);
        return;
      }
      log.info('this machine has no IPv6 loopback; listening on 127.0.0.1 only');
      resolve(null);
    });
    twin.listen({ port, host: '::1' }, () => resolve(twin));
  });
}
