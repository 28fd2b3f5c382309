import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import compression from 'compression';
import type { ServerBuild } from 'react-router';
import sirv from 'sirv';
import type { WebConfiguration } from '#app/config.server.ts';
import { otherMethodsOf } from '#app/http/allowed-methods.ts';
import { countedAddress } from '#app/http/client-address.ts';
import { filePolicy, fixedHeaders, overlayScriptPolicy, ownResource } from '#app/http/fixed-headers.ts';
import { logger } from '#app/http/logger.server.ts';
import { limitBody } from '#app/http/request-body.ts';
import { requestListener } from '#app/http/request-listener.ts';
import { requestTurns } from '#app/http/request-turns.ts';
import { pageBrotli } from '#app/http/send-document.ts';
import { localUrl } from '#platform/listen-address.ts';

/** The functions that the bundle provides to the server around it. */
export type Entry = typeof import('./entry.server.tsx');

// Beside both the source's folder and the bundle's.
const clientFolder = resolve(import.meta.dirname, '../build/client');
const serverBuild = resolve(import.meta.dirname, '../build/server/index.js');
const requestTimeoutMs = 30_000;
/**
 * A connection on which nothing moves for this long while a request is answered is cut: its client has stopped reading.
 * Live pages move at least every 25 s.
 */
const stillMs = 60_000;
const patienceMs = 4_000;

export type RunningServer = { server: Server; url: URL; stop: () => Promise<void> };

export async function loadBuild(): Promise<ServerBuild> {
  return (await import(pathToFileURL(serverBuild).href)) as ServerBuild;
}

function serveFiles() {
  return sirv(clientFolder, {
    etag: true,
    gzip: true,
    brotli: true,
    setHeaders(response, path) {
      // Names in assets/ contain a hash of the content, so the content never changes.
      const cache = path.startsWith('/assets/')
        ? 'public, max-age=31536000, immutable'
        : 'public, max-age=3600';
      response.setHeader('Cache-Control', cache);
      if (/^\/assets\/overlay-[\w-]+\.js$/.test(path))
        response.setHeader('Content-Security-Policy', overlayScriptPolicy);
    },
  });
}

/** Sorts out requests that cannot be Stripe's webhooks, so that they take no place among those waiting. */
const isWebhook = ({ url, method, headers }: Request): boolean =>
  method === 'POST' && new URL(url).pathname === '/webhooks/stripe' && headers.has('stripe-signature');

const tooBusy = () => new Response(null, { status: 503, headers: { 'Retry-After': '60' } });

async function serveApp(build: ServerBuild, { publicUrl, proxies }: WebConfiguration) {
  const entry = build.entry.module as unknown as Entry;
  const { routeHandlers } = await import('#app/http/route-handlers.ts');
  const handle = routeHandlers(build);
  const compress = compression({ threshold: 1024, brotli: { params: pageBrotli } });
  const turns = requestTurns();
  return requestListener({
    host: publicUrl.host,
    protocol: publicUrl.protocol,
    async answer(request, remoteAddress) {
      // The router's own check answers with bare text and logs a stack trace for every such request.
      const foreign = await entry.refuseForeign(request);
      if (foreign) return foreign;
      const bounded = await limitBody(request, { refuse: entry.refuseBody, isMember: entry.isMember });
      if (bounded instanceof Response) return bounded;
      const forwardedFor = request.headers.get('x-forwarded-for');
      const address = countedAddress(remoteAddress, forwardedFor, proxies);
      const context = entry.createLoadContext({ address });
      const respond = () => handle(bounded, context);
      const bytes = Number(bounded.headers.get('Content-Length'));
      // Stripe repeats a webhook that finds no place.
      if (isWebhook(request)) return (await turns.webhook(respond, bytes)) ?? tooBusy();
      const response = await turns.page(respond);
      return (await entry.askAgain(request, context)) ?? response;
    },
    documentIn: (response) => entry.documentIn?.(response) ?? null,
    // biome-ignore lint/suspicious/noExplicitAny: compression's types are Express's, which it does not need.
    compress: (request, response) => compress(request as any, response as any, () => {}),
    onError(error) {
      logger().error({ err: error }, 'could not handle a request');
      return new Response('Oops, something went wrong.\n', { status: 500 });
    },
  });
}

function listen(server: Server, { port, host }: Pick<WebConfiguration, 'port' | 'host'>): Promise<void> {
  return new Promise((done, fail) => {
    server.once('error', fail);
    server.listen({ port, host }, () => {
      server.off('error', fail);
      done();
    });
  });
}

type Stopper = { stop: () => Promise<void>; isStopping: () => boolean };

/**
 * Ends event streams at once and tells other processes, lets running requests finish, and closes the remaining
 * connections after a grace period. Browsers also open connections without using them; once no request runs, those are closed as well.
 */
function stopper(server: Server, entry: Entry): Stopper {
  let stopping: Promise<void> | null = null;
  let running = 0;
  const cutIdle = () => {
    if (stopping === null) return;
    if (running === 0) server.closeAllConnections();
    else server.closeIdleConnections();
  };
  server.on('request', (_, response: ServerResponse) => {
    running += 1;
    response.once('close', () => {
      running -= 1;
      if (response.statusCode >= 500) void entry.countFailure(response.statusCode);
      // The last bytes of a response may not have been flushed yet.
      setImmediate(cutIdle);
    });
  });
  const close = () =>
    new Promise<void>((done) => {
      server.close(() => done());
      const cut = setTimeout(() => server.closeAllConnections(), patienceMs);
      server.once('close', () => clearTimeout(cut));
      setImmediate(cutIdle);
    });
  const stop = () => {
    stopping ??= Promise.all([close(), Promise.race([entry.stopServing(), delay(patienceMs)])]).then(
      () => {},
    );
    return stopping;
  };
  return { stop, isStopping: () => stopping !== null };
}

/**
 * Returns whether a request can be represented as a fetch request: not a proxy's `http://…` or `*`, nor a
 * method that fetch forbids.
 */
const isTellable = ({ method, url = '' }: IncomingMessage): boolean =>
  url.startsWith('/') &&
  URL.canParse(`http://own.invalid${url}`) &&
  method !== 'TRACE' &&
  method !== 'CONNECT';

/**
 * The headers of every answer: a file, a refusal before the router runs, or the last resort. Pages and
 * pictures of links set some of them again, and theirs apply.
 */
const headersOfAll = (hsts: string | null): [string, string][] => [
  ...fixedHeaders(hsts),
  ownResource,
  ['Content-Security-Policy', filePolicy],
];

/** Refuses a request on a connection that is being closed. */
function answerStopping(response: ServerResponse): void {
  response.writeHead(503, { 'Retry-After': '5', Connection: 'close' }).end();
}

/** Serves the built web process: files first, then pages. Needs `react-router build` to have run. */
export async function startServer(settings: WebConfiguration, build: ServerBuild): Promise<RunningServer> {
  const files = serveFiles();
  const ofAll = headersOfAll(settings.hsts);
  const app = await serveApp(build, settings);
  const server = createServer({
    requestTimeout: requestTimeoutMs,
    headersTimeout: 15_000,
    keepAliveTimeout: 65_000,
  });
  server.setTimeout(stillMs);
  const { stop, isStopping } = stopper(server, build.entry.module as unknown as Entry);
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    for (const [name, value] of ofAll) response.setHeader(name, value);
    if (isStopping()) return answerStopping(response);
    if (!isTellable(request)) return void response.writeHead(400, { Connection: 'close' }).end();
    const allowed = otherMethodsOf(request);
    if (allowed !== null) return void response.writeHead(405, { Allow: allowed }).end();
    files(request, response, () => app(request, response));
  });
  await listen(server, settings);
  const { port } = server.address() as AddressInfo;
  const url = new URL(localUrl(settings.host, port));
  return { server, url, stop };
}
