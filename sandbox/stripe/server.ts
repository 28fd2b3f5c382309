import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { replayOf } from '../shapes/replay.ts';
import { applyFaults } from './apply-faults.ts';
import type { Endpoint } from './endpoint.ts';
import { endpoints } from './endpoints.ts';
import { expandAll } from './expand.ts';
import { type FormObject, parseForm } from './form.ts';
import { registerHostedPages } from './hosted-pages.ts';
import { keyIn, parametersOf, requestTextOf, saveAnswer, savedAnswer } from './idempotency.ts';
import { StripeRefusal } from './refusals.ts';
import { apiVersion, randomLetters } from './state.ts';
import { applyTime } from './time.ts';
import { startDeliveries } from './webhooks.ts';
import type { StripeWorld } from './world.ts';

export interface StripeOptions {
  world: StripeWorld;
  /** 0 means any free port. */
  port: number;
  log?: StripeLog;
}

export interface StripeLog {
  info(details: object | string, message?: string): void;
  warn(details: object | string, message?: string): void;
  error(details: object | string, message?: string): void;
}

export interface RunningStripe {
  port: number;
  /** For example http://localhost:3016, without a trailing slash; for the API and for the pages. */
  url: string;
  close(): Promise<void>;
}

const PASSING_MS = 15_000;

const silentLog: StripeLog = { info() {}, warn() {}, error() {} };

/** Starts the sandbox's Stripe on one loopback port: API, hosted pages and webhooks. */
export async function startStripe({ world, port, log = silentLog }: StripeOptions): Promise<RunningStripe> {
  const app = Fastify({ forceCloseConnections: true, bodyLimit: 256 * 1024 });
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    (_request, body, done) => done(null, String(body)),
  );
  answerRefusals(app, log);
  applyFaults(app, world);
  app.addHook('onRequest', async () => applyTime(world));
  for (const endpoint of endpoints) register(app, world, endpoint);
  registerHostedPages(app, world);
  await app.listen({ port, host: '127.0.0.1' });
  const bound = (app.server.address() as AddressInfo).port;
  const twin = await listenOnIPv6(app, bound);
  const url = `http://localhost:${bound}`;
  world.setSite(url);
  const deliveries = startDeliveries(world, log);
  // Time passes without requests too.
  const passing = setInterval(() => applyTime(world), PASSING_MS).unref();
  return {
    port: bound,
    url,
    async close() {
      clearInterval(passing);
      deliveries.close();
      twin?.closeAllConnections();
      await Promise.all([app.close(), twin && new Promise((resolve) => twin.close(resolve))]);
    },
  };
}

function answerRefusals(app: FastifyInstance, log: StripeLog): void {
  app.setErrorHandler<Error & { statusCode?: number }>((error, request, reply) => {
    const refusal = error instanceof StripeRefusal ? error : wrapped(error);
    if (refusal.status >= 500) log.error({ err: error }, `${request.method} ${request.url} failed`);
    return sendError(reply, refusal);
  });
  // The words of api.stripe.com for a path it does not know.
  app.setNotFoundHandler((request, reply) => {
    const [path = ''] = request.url.split('?');
    return sendError(
      reply,
      new StripeRefusal(404, {
        type: 'invalid_request_error',
        message: `Unrecognized request URL (${request.method}: ${path}). Please see https://stripe.com/docs or we can help at https://support.stripe.com/.`,
      }),
    );
  });
}

function wrapped(error: Error & { statusCode?: number }): StripeRefusal {
  const status = error.statusCode ?? 500;
  return status < 500
    ? new StripeRefusal(status, { type: 'invalid_request_error', message: error.message })
    : new StripeRefusal(500, { type: 'api_error', message: 'An unknown error occurred' });
}

function sendError(reply: FastifyReply, { status, body }: StripeRefusal): FastifyReply {
  const id = reply.getHeader('request-id') ?? newRequestId();
  const error = { ...body, request_log_url: `https://dashboard.stripe.com/test/logs/${id}` };
  return reply
    .code(status)
    .headers(headersOf(String(id)))
    .send(JSON.stringify({ error }, null, 2));
}

const newRequestId = () => `req_${randomLetters(14)}`;

function headersOf(requestId: string): Record<string, string> {
  return {
    'content-type': 'application/json',
    'request-id': requestId,
    'stripe-version': apiVersion,
    'cache-control': 'no-cache, no-store',
  };
}

/** A secret key as bearer token or as the user of Basic, https://docs.stripe.com/api/authentication. */
function requireKey(world: StripeWorld, request: FastifyRequest): void {
  const [scheme = '', value = ''] = (request.headers.authorization ?? '').split(' ');
  const key = scheme === 'Basic' ? Buffer.from(value, 'base64').toString().split(':')[0] : value;
  if (!key) {
    throw new StripeRefusal(401, {
      type: 'invalid_request_error',
      message:
        "You did not provide an API key. You need to provide your API key in the Authorization header, using Bearer auth (e.g. 'Authorization: Bearer YOUR_SECRET_KEY'). See https://stripe.com/docs/api#authentication for details, or we can help at https://support.stripe.com/.",
    });
  }
  if (key !== world.state.secretKey) {
    const hidden = `${key.slice(0, 8)}${'*'.repeat(Math.max(0, key.length - 12))}${key.slice(-4)}`;
    throw new StripeRefusal(401, {
      type: 'invalid_request_error',
      message: `Invalid API Key provided: ${hidden}`,
    });
  }
}

function requireVersion(request: FastifyRequest): void {
  const version = request.headers['stripe-version'];
  if (version === undefined || version === apiVersion) return;
  throw new StripeRefusal(400, {
    type: 'invalid_request_error',
    message: `Invalid Stripe API version: ${version}. The sandbox speaks ${apiVersion} alone.`,
  });
}

function register(app: FastifyInstance, world: StripeWorld, endpoint: Endpoint): void {
  const { method, path } = endpoint;
  app.route({
    method,
    url: path,
    handler: (request, reply) => {
      const requestId = newRequestId();
      reply.header('request-id', requestId);
      requireKey(world, request);
      requireVersion(request);
      const { id = '' } = request.params as { id?: string };
      const form = parseForm(parametersOf(request));
      const [key, text] = [keyIn(request), requestTextOf(request)];
      const saved = key ? savedAnswer(world, key, text) : null;
      if (saved) {
        const replayed = {
          'idempotent-replayed': 'true',
          'original-request': saved.requestId,
          'idempotency-key': key,
        };
        return reply
          .code(saved.status)
          .headers({ ...headersOf(requestId), ...replayed })
          .send(saved.body);
      }
      const answered = run(world, endpoint, { id, form, requestId, key });
      if (key && answered.hasBegun)
        saveAnswer(world, key, {
          request: text,
          requestId,
          status: answered.status,
          body: answered.body,
        });
      return reply
        .code(answered.status)
        .headers({ ...headersOf(requestId), ...(key && { 'idempotency-key': key }) })
        .send(answered.body);
    },
  });
}

interface Asked {
  id: string;
  form: FormObject;
  requestId: string;
  key: string;
}

/** Carries a request out, all of it or nothing; a declined card is an answer that is saved, wrong parameters are not. */
function run(world: StripeWorld, endpoint: Endpoint, { id, form, requestId, key }: Asked) {
  const isChange = endpoint.method !== 'GET';
  const work = () => {
    const { object, expand } = endpoint.answer(world, id, form);
    // A refusal that is returned, not thrown, keeps its effects: a declined attempt to pay.
    if (object instanceof StripeRefusal) return refused(object);
    const shown = replayOf(world).objects(expandAll(world, object, expand));
    return { status: 200, body: JSON.stringify(shown, null, 2), hasBegun: true };
  };
  const refused = ({ status, body }: StripeRefusal) => {
    const error = { ...body, request_log_url: `https://dashboard.stripe.com/test/logs/${requestId}` };
    return { status, body: JSON.stringify({ error }, null, 2), hasBegun: true };
  };
  const asking = { id: requestId, idempotencyKey: key || null };
  try {
    return isChange ? world.transaction(work, asking) : work();
  } catch (error) {
    if (!(error instanceof StripeRefusal) || error.status !== 402) throw error;
    return refused(error);
  }
}

/** `localhost` may resolve to ::1 first. */
async function listenOnIPv6(app: FastifyInstance, port: number): Promise<Server | null> {
  const { keepAliveTimeout } = app.server;
  const twin = createServer({ keepAliveTimeout }, (request, response) => app.routing(request, response));
  return new Promise((resolve, reject) => {
    twin.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? reject(error) : resolve(null),
    );
    twin.listen({ port, host: '::1' }, () => resolve(twin));
  });
}
