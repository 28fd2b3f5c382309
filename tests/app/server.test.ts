import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { config } from '#app/config.server.ts';
import { loadBuild, startServer } from '#app/server.ts';
import { loadSqliteDriver } from '#db/engine/sqlite-driver.ts';
import { makeSqliteFile } from '#tests/support/database.ts';
import { setWebEnvironment, webEnvironment } from './support/web-environment.ts';
import { startWeb, stopWeb, type Web } from './support/web-process.ts';

/** With a database of its own. */
async function startOwnWeb(): Promise<Web> {
  const { folder } = await makeSqliteFile('disk');
  return startWeb(webEnvironment({ LOG_LEVEL: 'info', KEEPSAKE_DATA_DIR: folder }));
}

let web: Web;

beforeAll(async () => {
  web = await startOwnWeb();
});

afterAll(() => stopWeb(web));

function ask(path: string, init: RequestInit = {}) {
  return fetch(new URL(path, web.url), { redirect: 'manual', ...init });
}

const own = { Origin: 'http://localhost:3000' };

describe('the web process', () => {
  test('reports that it is up', async () => {
    const response = await ask('/healthz');
    expect([response.status, await response.text()]).toEqual([200, 'ok\n']);
  });

  test('says to a deep check whether a row can be written, and counts what it could not answer', async () => {
    const token = 'a token of more than 32 characters';
    expect((await ask('/healthz?deep')).status).toBe(200);
    const { folder, file } = await makeSqliteFile('disk');
    const Driver = await loadSqliteDriver();
    const altered = new Driver(file);
    altered.exec('drop table long_rounds');
    altered.close();
    const own = await startWeb(
      webEnvironment({ LOG_LEVEL: 'info', KEEPSAKE_DATA_DIR: folder, METRICS_TOKEN: token }),
    );
    try {
      expect((await fetch(new URL('/healthz?deep', own.url))).status).toBe(503);
      expect((await fetch(new URL('/healthz', own.url))).status).toBe(200);
      const headers = { Authorization: `Bearer ${token}` };
      const measured = await (await fetch(new URL('/metrics', own.url), { headers })).text();
      expect(measured).toContain('keepsake_server_errors_total{status="500"} 0');
      expect(measured).toMatch(/keepsake_server_errors_total\{status="503"\} 1/);
      expect(measured).toMatch(/keepsake_build_info\{version="[\d.]+",build="\w+"\} 1/);
    } finally {
      await stopWeb(own);
    }
  });

  test('renders the start page in the browser’s language', async () => {
    const response = await ask('/', { headers: { 'Accept-Language': 'ru-RU' } });
    const page = await response.text();
    expect(response.status).toBe(200);
    expect(response.headers.get('Content-Language')).toBe('ru');
    expect(page).toContain('<html lang="ru" data-theme="system"');
    expect(page).toMatch(/^<!DOCTYPE html>/);
    expect(page).toContain('Награждайте зрителей, которые остаются');
    expect(page).not.toMatch(/ style="/);
  });

  test('allows only scripts with its policy’s nonce', async () => {
    const response = await ask('/');
    const policy = response.headers.get('Content-Security-Policy') ?? '';
    const nonce = /'nonce-([^']+)'/.exec(policy)?.[1];
    const scripts = (await response.text()).match(/<script[^>]*>/g) ?? [];
    expect(scripts.length).toBeGreaterThan(0);
    for (const script of scripts) expect(script).toContain(`nonce="${nonce}"`);
  });

  test.each([
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip;q=1, br;q=0', 'gzip'],
    ['gzip', 'gzip'],
    ['identity', null],
  ])('sends a page to a browser that accepts %s', async (accepted, encoding) => {
    for (const path of ['/faq', '/faq', '/no/such/page']) {
      const response = await ask(path, { headers: { 'Accept-Encoding': accepted } });
      expect(response.headers.get('Content-Encoding')).toBe(encoding);
      expect(response.headers.get('Vary')).toBe('Accept-Language, Cookie, Accept-Encoding');
      expect(await response.text()).toMatch(/^<!DOCTYPE html>.*<\/html>$/s);
    }
  });

  test('sends no body for HEAD requests', async () => {
    const page = await ask('/faq', { method: 'HEAD', headers: { 'Accept-Encoding': 'br' } });
    expect([page.status, await page.text()]).toEqual([200, '']);
    expect(page.headers.get('Content-Type')).toBe('text/html; charset=utf-8');
  });

  test.each(['/', '/faq', '/privacy_policy', '/auth/signin', '/auth/signup', '/contact_us', '/no/such/page'])(
    'sends %s without React',
    async (path) => {
      const page = await (await ask(path)).text();
      const scripts = [...page.matchAll(/<script[^>]*>/g)].map(([script]) => script);
      expect(scripts.length).toBeGreaterThan(0);
      for (const script of scripts) expect(script).toMatch(/src="\/assets\/(plain-page|altcha|passkey)-/);
      expect(page).not.toMatch(/modulepreload|__reactRouter/);
    },
  );

  test('runs the script of a page without React only when the whole page is there', async () => {
    // It inserts a message from a template and focuses the first invalid field.
    const page = await (await ask('/auth/signup')).text();
    const script = /<script[^>]*plain-page[^>]*>/.exec(page)?.[0];
    expect(script).toContain('type="module"');
    expect(script).not.toContain('async');
  });

  test('answers an unknown path with a 404 page without a stack trace', async () => {
    const response = await ask('/no/such/page');
    const page = await response.text();
    expect(response.status).toBe(404);
    expect(response.headers.get('Content-Security-Policy')).toContain("default-src 'none'");
    expect(page).toContain('Page not found');
    expect(page).not.toMatch(/node_modules|\.tsx?:\d/);
    expect((await ask('/no/such/page', { method: 'POST', headers: own })).status).toBe(404);
  });

  test('refuses a form from another site', async () => {
    const headers = { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' };
    const body = new URLSearchParams({ language: 'ru' });
    expect((await ask('/language', { method: 'POST', body, headers })).status).toBe(403);
    expect((await ask('/language', { method: 'POST', body })).status).toBe(403);
    // A request from our own pages is also checked by the router, which would answer first and log a stack trace.
    const foreign = { Origin: 'null', 'Accept-Language': 'ru' };
    const page = await ask('/auth/signin', { method: 'POST', body, headers: foreign });
    expect([page.status, await page.text()]).toEqual([403, expect.stringContaining('не с этого сайта')]);
  });

  test('stores a chosen language and theme, and redirects back', async () => {
    const body = new URLSearchParams({ language: 'ru', to: '/no?x=1' });
    const chosen = await ask('/language', { method: 'POST', body, headers: own });
    expect([chosen.status, chosen.headers.get('Location')]).toEqual([302, '/no?x=1']);
    const cookie = chosen.headers.get('Set-Cookie')?.split(';')[0] ?? '';
    expect((await ask('/', { headers: { Cookie: cookie } })).headers.get('Content-Language')).toBe('ru');

    const light = new URLSearchParams({ theme: 'light', to: '//evil.example' });
    const lit = await ask('/theme', { method: 'POST', body: light, headers: own });
    expect([lit.status, lit.headers.get('Location')]).toEqual([302, '/']);
    const page = await ask('/', { headers: { Cookie: lit.headers.get('Set-Cookie')?.split(';')[0] ?? '' } });
    expect(await page.text()).toContain('data-theme="light"');

    const saved = new URLSearchParams({ theme: 'light', to: '/settings', saved: '1' });
    const reported = await ask('/theme', { method: 'POST', body: saved, headers: own });
    expect(reported.headers.getSetCookie().join()).toMatch(/keepsake_theme=.*keepsake_toast=/);
  });

  test('answers 400 to an invalid choice and to an empty form', async () => {
    const body = new URLSearchParams({ language: 'xx' });
    expect((await ask('/language', { method: 'POST', body, headers: own })).status).toBe(400);
    expect((await ask('/language', { method: 'POST', headers: own })).status).toBe(400);
  });

  test('answers 413 to what is larger than a visitor’s form and 400 to invalid UTF-8, before any page reads the body', async () => {
    const large = await ask('/language', { method: 'POST', body: 'x'.repeat(1024 * 1024 + 1), headers: own });
    expect(large.status).toBe(413);
    expect(await large.text()).toContain('more than we accept at once');
    const broken = await ask('/language', {
      method: 'POST',
      body: 'language=%FF',
      headers: { ...own, 'Content-Type': 'application/x-www-form-urlencoded' },
    });
    expect(broken.status).toBe(400);
    // The refusal must not have loaded a second copy of React.
    expect((await ask('/auth/signin')).status).toBe(200);
  });

  test.each([
    ['JSON', '{"grant_type":"x","client_id":"x"}', 'application/json'],
    ['JSON as of the API', '{}', 'application/vnd.api+json'],
    ['nothing', '', 'application/x-www-form-urlencoded'],
    [
      'another form',
      '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\nb\r\n--x--',
      'multipart/form-data; boundary=x',
    ],
    ['text that is not UTF-8', 'client_id=%FF', 'application/x-www-form-urlencoded'],
    ['too much', 'x'.repeat(1024 * 1024 + 1), 'application/x-www-form-urlencoded'],
    ['too many fields', 'a=&'.repeat(5000), 'application/x-www-form-urlencoded'],
    ['a name that is none of ours', 'a[999999999]=x', 'application/x-www-form-urlencoded'],
  ])('answers a program that sends %s as RFC 6749 says', async (_, body, type) => {
    for (const path of ['/oauth/token', '/oauth/device_authorization']) {
      const answer = await ask(path, { method: 'POST', body, headers: { 'Content-Type': type } });
      expect([path, answer.status, await answer.json()]).toEqual([
        path,
        400,
        expect.objectContaining({ error: 'invalid_request' }),
      ]);
      expect(answer.headers.get('Content-Type')).toMatch(/^application\/json/);
      expect(answer.headers.get('Cache-Control')).toBe('no-store');
    }
  });

  test('survives a form with a billion fields, and renders the next page', async () => {
    const body = new URLSearchParams({ 'name[999999999]': 'x' });
    expect((await ask('/auth/signup', { method: 'POST', body, headers: own })).status).toBe(400);
    expect((await ask('/auth/signup')).status).toBe(200);
  });

  test('serves hashed files as immutable, with the security headers of pages', async () => {
    const start = await ask('/');
    const page = await start.text();
    const sheet = /href="(\/assets\/[^"]+\.css)"/.exec(page)?.[1] ?? '';
    const response = await ask(sheet);
    expect(response.headers.get('Cache-Control')).toBe('public, max-age=31536000, immutable');
    for (const name of [
      'X-Content-Type-Options',
      'Referrer-Policy',
      'Permissions-Policy',
      'Cross-Origin-Opener-Policy',
      'Cross-Origin-Resource-Policy',
    ])
      expect([name, response.headers.get(name)]).toEqual([name, start.headers.get(name) ?? 'missing']);
    expect(response.headers.get('Content-Security-Policy')).toContain("default-src 'none'");
    expect(await response.text()).toContain('light-dark(');
  });

  test('tells with a page how long to wait after too many tries', async () => {
    const body = new URLSearchParams({ email: 'tried@example.org', password: 'a wrong sentence' });
    const tryIt = () => ask('/auth/signin', { method: 'POST', body, headers: own });
    let answer = await tryIt();
    for (let tried = 1; tried <= 10; tried++) answer = await tryIt();
    expect(answer.status).toBe(429);
    expect(answer.headers.get('Content-Type')).toContain('text/html');
    expect(Number(answer.headers.get('Retry-After'))).toBeGreaterThan(800);
  });

  test.each(['/%', '/%E0%A4%A', '//evil.example', '/..%2f..%2fpackage.json', '/\\evil', '/?x=%FF'])(
    'answers %s without failing',
    async (target) => {
      const url = new URL(web.url);
      const socket = connect(Number(url.port), url.hostname);
      socket.write(`GET ${target} HTTP/1.1\r\nHost: localhost:3000\r\nConnection: close\r\n\r\n`);
      let answer = '';
      for await (const part of socket) answer += part;
      expect(answer).toMatch(/^HTTP\/1\.1 (200|301|302|400|404) /);
      expect(answer).not.toMatch(/Location: \/\//i);
    },
  );

  test.each(['GET http://evil.example/', 'GET *', 'OPTIONS *', 'GET http://[/', 'TRACE /'])(
    'answers %s with 400',
    async (request) => {
      const url = new URL(web.url);
      const socket = connect(Number(url.port), url.hostname);
      socket.write(`${request} HTTP/1.1\r\nHost: localhost:3000\r\nConnection: close\r\n\r\n`);
      let answer = '';
      for await (const part of socket) answer += part;
      expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    },
  );

  test('stops on SIGTERM with exit code 0, even while a visitor has an idle connection open', async () => {
    const other = await startOwnWeb();
    const url = new URL(other.url);
    await (await fetch(url)).text();
    const idle = connect(Number(url.port), url.hostname);
    await once(idle, 'connect');
    const startedAt = performance.now();
    other.process.kill('SIGTERM');
    const [code] = await once(other.process, 'exit');
    expect(code).toBe(0);
    // Longer would mean that it waited for a running request.
    expect(performance.now() - startedAt).toBeLessThan(4_000);
    idle.destroy();
  });

  test('sends plain text when not even an error page can be rendered', async () => {
    setWebEnvironment();
    const build = await loadBuild();
    const createLoadContext = () => {
      throw new Error('the bundle is broken');
    };
    const entry = { module: { ...build.entry.module, createLoadContext } };
    const broken = await startServer(config(), { ...build, entry });
    // The client of a connection on which nothing moves for as long has stopped reading.
    expect(broken.server.timeout).toBe(60_000);
    const response = await fetch(broken.url).finally(() => broken.stop());
    expect([response.status, await response.text()]).toEqual([500, 'Oops, something went wrong.\n']);
  });
});
