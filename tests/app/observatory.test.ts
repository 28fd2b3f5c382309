import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { config } from '#app/config.server.ts';
import { loadBuild, type RunningServer, startServer } from '#app/server.ts';
import { database } from '#app/services/database.server.ts';
import { saveSession } from '#app/services/sign-in/session.server.ts';
import { openSession } from '#domain/identity/session/open-session.ts';
import { addPerson } from '#tests/support/fixtures.ts';
import { setWeb } from './support/web.ts';

// The faults for which MDN's HTTP Observatory takes points, as SECURITY.md lists them, on a site behind
// https.
await setWeb({ PUBLIC_URL: 'https://keepsake.example' });

let web: RunningServer;
let session: string;

beforeAll(async () => {
  if (!existsSync('build/server/index.js'))
    execFileSync('npx', ['react-router', 'build'], { stdio: 'ignore' });
  web = await startServer(config(), await loadBuild());
  const db = await database();
  const { userId } = await addPerson(db, { nowMs: Date.now() });
  const { token } = await openSession(db, { userId, userAgent: 'test' }, Date.now());
  session = (await saveSession(token)).split(';')[0] ?? '';
});
afterAll(() => web.stop());

const halfAYearS = 15_768_000;

/** A content security policy by its directives. */
const policyOf = (headers: Headers) =>
  new Map(
    (headers.get('Content-Security-Policy') ?? '').split('; ').map((directive): [string, string[]] => {
      const [name = '', ...sources] = directive.split(' ');
      return [name, sources];
    }),
  );

const points: [string, (headers: Headers) => void][] = [
  [
    'a policy that starts from nothing and allows no inline scripts, code from text or plain http',
    (headers) => {
      const policy = policyOf(headers);
      expect(policy.get('default-src')).toEqual(["'none'"]);
      for (const source of policy.get('script-src') ?? [])
        expect(source).toMatch(/^('self'|'nonce-[\w+/=]{24}')$/);
      const sources = [...policy.values()].flat();
      for (const loose of ["'unsafe-eval'", '*', 'http:', 'https:']) expect(sources).not.toContain(loose);
      expect(sources.filter((source) => source.startsWith('http://'))).toEqual([]);
      for (const closed of ['base-uri', 'frame-ancestors']) expect(policy.get(closed)).toEqual(["'none'"]);
      expect(policy.has('form-action')).toBe(true);
    },
  ],
  [
    'https for at least half a year',
    (headers) => {
      const [, seconds] = /max-age=(\d+)/.exec(headers.get('Strict-Transport-Security') ?? '') ?? [];
      expect(Number(seconds)).toBeGreaterThanOrEqual(halfAYearS);
    },
  ],
  ['no guessing of types', (headers) => expect(headers.get('X-Content-Type-Options')).toBe('nosniff')],
  [
    'no addresses of pages for other sites',
    (headers) => expect(headers.get('Referrer-Policy')).toBe('strict-origin-when-cross-origin'),
  ],
  [
    'nothing that scripts of other sites may read',
    (headers) => expect(headers.has('Access-Control-Allow-Origin')).toBe(false),
  ],
  [
    'cookies over https only, and not with requests of other sites',
    (headers) => {
      for (const cookie of headers.getSetCookie()) {
        expect(cookie).toMatch(/; Secure/);
        expect(cookie).toMatch(/; SameSite=(Lax|Strict)/);
      }
    },
  ],
];

describe.each<[string, string, number, { shared?: boolean }]>([
  ['The landing page', '/', 200, {}],
  ['A file', '/favicon.svg', 200, {}],
  ['An error', '/no/such/page', 404, {}],
  ['An answer of the API', '/api/v1/plans', 200, {}],
  ['An answer of the API that sets a cookie', '/sanctum/csrf-cookie', 200, {}],
  ['An event stream', '/events', 200, {}],
  ['A picture', '/share/en/site.png', 200, { shared: true }],
])('%s has', (_, path, status, { shared = false }) => {
  let headers: Headers;
  beforeAll(async () => {
    const stop = new AbortController();
    const answer = await fetch(new URL(path, web.url), {
      headers: { Cookie: session },
      signal: stop.signal,
    });
    headers = answer.headers;
    expect(answer.status).toBe(status);
    stop.abort();
  });

  test.each(points)('%s', (_name, check) => check(headers));

  test('a word on which sites may embed it', () => {
    // Pictures of links are shown on other sites.
    expect(headers.get('Cross-Origin-Resource-Policy')).toBe(shared ? 'cross-origin' : 'same-origin');
  });
});

test('Pages load no script of another site, which would need a hash', async () => {
  const page = await (await fetch(web.url)).text();
  const scripts = [...page.matchAll(/<script[^>]*\ssrc="([^"]+)"/g)].map(([, address = '']) => address);
  expect(scripts.length).toBeGreaterThan(0);
  for (const script of scripts) expect(script).toMatch(/^\/(?!\/)/);
});
