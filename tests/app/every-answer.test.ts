import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import type { ServerBuild } from 'react-router';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { config } from '#app/config.server.ts';
import { loadBuild, type RunningServer, startServer } from '#app/server.ts';
import { filePolicy, fixedHeaders, ownResource } from '#app/services/fixed-headers.ts';
import { setWeb } from './support/web.ts';

// No webhook finds a place.
vi.mock('#app/services/request-turns.ts', () => ({
  requestTurns: () => ({ page: (answer: () => unknown) => answer(), webhook: async () => null }),
}));

await setWeb({ PUBLIC_URL: 'https://keepsake.example' });

let build: ServerBuild;
let web: RunningServer;

beforeAll(async () => {
  if (!existsSync('build/server/index.js'))
    execFileSync('npx', ['react-router', 'build'], { stdio: 'ignore' });
  build = await loadBuild();
  web = await startServer(config(), build);
});
afterAll(() => web.stop());

/** What an answer lacks of the headers that all have. */
function missingIn(headers: Headers): string[] {
  const wanted = [...fixedHeaders(true), ownResource];
  const missing = wanted.flatMap(([name, value]) => (headers.get(name) === value ? [] : [name]));
  const policy = headers.get('Content-Security-Policy') ?? '';
  const isClosed = ["default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'"].every((directive) =>
    policy.includes(directive),
  );
  return isClosed ? missing : [...missing, 'Content-Security-Policy'];
}

/** Sends a request as it is written, which `fetch` would not send. */
async function askRaw(url: URL, request: string): Promise<{ status: number; headers: Headers }> {
  const socket = connect(Number(url.port), url.hostname);
  socket.write(`${request} HTTP/1.1\r\nHost: keepsake.example\r\nConnection: close\r\n\r\n`);
  return readAnswer(await wholeOf(socket));
}

async function wholeOf(socket: ReturnType<typeof connect>): Promise<string> {
  let whole = '';
  for await (const part of socket) whole += part;
  return whole;
}

function readAnswer(answer: string): { status: number; headers: Headers } {
  const [head = ''] = answer.split('\r\n\r\n');
  const [line = '', ...fields] = head.split('\r\n');
  const headers = new Headers();
  for (const field of fields)
    headers.append(field.slice(0, field.indexOf(':')), field.slice(field.indexOf(':') + 1));
  return { status: Number(line.split(' ')[1]), headers };
}

const own = { Origin: 'https://keepsake.example' };
const form = { ...own, 'Content-Type': 'application/x-www-form-urlencoded' };
const foreign = { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' };

test.each<[string, number, string, RequestInit]>([
  ['a page', 200, '/', {}],
  ['the data of a page', 200, '/faq.data', {}],
  ['a page that sends somewhere else', 302, '/dashboard', {}],
  ['a page that is not there', 404, '/no/such/page', {}],
  ['a form to a page without one', 405, '/faq', { method: 'POST', headers: form, body: 'a=b' }],
  ['a file', 200, '/favicon.svg', {}],
  ['a file that is not there', 404, '/assets/none.js', {}],
  ['a picture that is not there', 404, '/share/en/channels/nobody.png', {}],
  ['the health of the process', 200, '/healthz', {}],
  ['where passwords are changed', 302, '/.well-known/change-password', {}],
  [
    'a well-known address that must not exist',
    404,
    '/.well-known/resource-that-should-not-exist-whose-status-code-should-not-be-200',
    {},
  ],
  ['the API', 200, '/api/v1/plans', {}],
  ['the methods of the API', 204, '/api/v1/plans', { method: 'OPTIONS' }],
  ['a refusal of the API', 401, '/api/v1/users', {}],
  ['a form of another site', 403, '/language', { method: 'POST', headers: foreign }],
  ['a form that cannot be read', 400, '/language', { method: 'POST', headers: form, body: 'language=%FF' }],
  [
    'a form that is too large',
    413,
    '/language',
    { method: 'POST', headers: form, body: 'x'.repeat(1_100_000) },
  ],
  [
    'a body that is no form',
    415,
    '/language',
    { method: 'POST', headers: { ...own, 'Content-Type': 'text/plain' }, body: 'x' },
  ],
  [
    'a webhook that finds no place',
    503,
    '/webhooks/stripe',
    { method: 'POST', headers: { 'stripe-signature': 'x' }, body: '{}' },
  ],
  ['the methods of a page', 405, '/', { method: 'OPTIONS' }],
  ['a method that no page has', 405, '/', { method: 'PROPFIND' }],
  ['a method that only the API has', 405, '/settings/delete', { method: 'DELETE', headers: own }],
  ['the list of routes', 204, '/__manifest?paths=%2Ffaq&version=1', {}],
  ['a form to the list of routes', 405, '/__manifest', { method: 'POST', headers: form, body: 'a=b' }],
])('%s is answered with all security headers', async (_, status, path, init) => {
  const answer = await fetch(new URL(path, web.url), { redirect: 'manual', ...init });
  expect([answer.status, missingIn(answer.headers)]).toEqual([status, []]);
});

test.each(['GET *', 'TRACE /', 'GET http://evil.example/'])(
  '%s is refused with all security headers',
  async (request) => {
    const { status, headers } = await askRaw(web.url, request);
    expect([status, missingIn(headers)]).toEqual([400, []]);
  },
);

test.each([
  ['OPTIONS', '/', 'GET, HEAD, POST'],
  ['PUT', '/profile', 'GET, HEAD, POST'],
  ['POST', '/__manifest', 'GET, HEAD'],
])('%s %s is refused without a page, and says what is allowed', async (method, path, allowed) => {
  const answer = await fetch(new URL(path, web.url), { method, headers: own });
  expect([answer.status, answer.headers.get('Allow')]).toEqual([405, allowed]);
  expect(await answer.text()).toBe('');
});

test('A policy of its own is kept, and so is what a picture allows other sites', async () => {
  const page = await fetch(web.url);
  expect(page.headers.get('Content-Security-Policy')).toContain("'nonce-");
  const file = await fetch(new URL('/favicon.svg', web.url));
  expect(file.headers.get('Content-Security-Policy')).toBe(filePolicy);
  const picture = await fetch(new URL('/share/en/site.png', web.url));
  expect(picture.headers.get('Cross-Origin-Resource-Policy')).toBe('cross-origin');
});

test('The last resort of a broken build has them too', async () => {
  const createLoadContext = () => {
    throw new Error('the bundle is broken');
  };
  const entry = { module: { ...build.entry.module, createLoadContext } };
  const broken = await startServer(config(), { ...build, entry });
  const answer = await fetch(broken.url).finally(() => broken.stop());
  expect([answer.status, missingIn(answer.headers)]).toEqual([500, []]);
});

test('A request that comes while the process stops has them too', async () => {
  let release = () => {};
  const held = new Promise<null>((done) => {
    release = () => done(null);
  });
  const entry = { module: { ...build.entry.module, refuseForeign: () => held } };
  const stopping = await startServer(config(), { ...build, entry });
  const socket = connect(Number(stopping.url.port), stopping.url.hostname);
  const next = () => socket.write('GET /healthz HTTP/1.1\r\nHost: keepsake.example\r\n\r\n');
  const begun = once(stopping.server, 'request');
  next();
  await begun;
  const stopped = stopping.stop();
  const late = once(stopping.server, 'request');
  next();
  await late;
  release();
  const [, second = ''] = (await wholeOf(socket)).split(/(?=HTTP\/1\.1 503)/);
  const { status, headers } = readAnswer(second);
  expect([status, missingIn(headers)]).toEqual([503, []]);
  await stopped;
});
