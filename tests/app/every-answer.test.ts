import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import type { ServerBuild } from 'react-router';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { config } from '#app/config.server.ts';
import { filePolicy, fixedHeaders, ownResource } from '#app/http/fixed-headers.ts';
import { loadBuild, type RunningServer, startServer } from '#app/server.ts';
import { database } from '#app/services/database.server.ts';
import { saveSession } from '#app/services/sign-in/session.server.ts';
import { putToast } from '#app/services/toast.server.ts';
import { openSession } from '#domain/identity/session/open-session.ts';
import { addPerson } from '#tests/support/fixtures.ts';
import { setWeb } from './support/web.ts';

// No webhook finds a place.
vi.mock('#app/http/request-turns.ts', () => ({
  requestTurns: () => ({ page: (answer: () => unknown) => answer(), webhook: async () => null }),
}));

await setWeb({ PUBLIC_URL: 'https://keepsake.example' });

let build: ServerBuild;
let web: RunningServer;
/** Requests with the cookies that browsers send along: a visitor with a message, and a signed-in user with one. */
let withMessage: string;
let signedIn: string;

beforeAll(async () => {
  if (!existsSync('build/server/index.js'))
    execFileSync('npx', ['react-router', 'build'], { stdio: 'ignore' });
  build = await loadBuild();
  web = await startServer(config(), build);
  const pair = (setCookie: string) => setCookie.split(';')[0] ?? '';
  const message = await putToast({ type: 'success', title: 'messages.ruleCreated' });
  withMessage = `${pair(message)}; __Host-keepsake_time_zone=Europe%2FBerlin`;
  const db = await database();
  const { userId } = await addPerson(db, { nowMs: Date.now() });
  const { token } = await openSession(db, { userId, userAgent: 'test' }, Date.now());
  signedIn = `${withMessage}; ${pair(await saveSession(token))}`;
});
afterAll(() => web.stop());

/** Lists the headers that an answer lacks of those that all have. */
function missingIn(headers: Headers): string[] {
  const wanted = [...fixedHeaders('max-age=31536000'), ownResource];
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

/** The request's name, the status of its answer, its address, and the rest of the request. */
type Case = [what: string, status: number, path: string, init: RequestInit];
const requests: Case[] = [
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
];

test.each(requests)('%s is answered with all security headers', async (_, status, path, init) => {
  const answer = await fetch(new URL(path, web.url), { redirect: 'manual', ...init });
  expect([answer.status, missingIn(answer.headers)]).toEqual([status, []]);
});

/** Answers that caches may share, and those that set cookies. */
const cacheable: Case[] = [
  ['a list for search engines', 200, '/sitemap.xml', {}],
  ['a picture of a link', 200, '/share/en/site.png', {}],
  ['the description of the API', 200, '/api/v1/openapi.json', {}],
  ['a choice of language', 302, '/language', { method: 'POST', headers: form, body: 'language=ru' }],
  ['a choice of theme', 302, '/theme', { method: 'POST', headers: form, body: 'theme=dark' }],
  ['a sign-out', 302, '/auth/signout', { method: 'POST', headers: form, body: '' }],
  ['the cookie against foreign forms', 200, '/sanctum/csrf-cookie', {}],
];

test.each([...requests, ...cacheable])(
  '%s is in no cache with a cookie, whatever cookies it is asked with',
  async (_, status, path, init) => {
    for (const cookie of [null, withMessage, signedIn]) {
      const headers = new Headers(init.headers);
      if (cookie !== null) headers.set('Cookie', cookie);
      const answer = await fetch(new URL(path, web.url), { redirect: 'manual', ...init, headers });
      expect(sharesCookie(answer.headers)).toBe(false);
      if (cookie === null) expect(answer.status).toBe(status);
    }
  },
);

/** Returns whether caches may store an answer together with its cookies. */
const sharesCookie = (headers: Headers): boolean =>
  headers.getSetCookie().length > 0 && headers.get('Cache-Control') !== 'private, no-store';

test('A page shows a message once, and is in no cache with the cookie that ends it', async () => {
  const { headers } = await fetch(new URL('/faq', web.url), { headers: { Cookie: withMessage } });
  expect(headers.getSetCookie().join()).toContain('__Host-keepsake_toast=;');
  expect(headers.get('Cache-Control')).toBe('private, no-store');
});

test('An answer for every cache that sets a cookie after all is in none', async () => {
  const careless = new Headers({ 'Cache-Control': 'public, max-age=300', 'Set-Cookie': 'mine=1' });
  const entry = {
    module: { ...build.entry.module, refuseForeign: async () => new Response('x', { headers: careless }) },
  };
  const other = await startServer(config(), { ...build, entry });
  const { headers } = await fetch(other.url).finally(() => other.stop());
  expect([headers.getSetCookie(), headers.get('Cache-Control')]).toEqual([['mine=1'], 'private, no-store']);
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
