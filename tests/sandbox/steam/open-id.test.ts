import { expect, test } from 'vitest';
import { serveWorld } from './stage.ts';

const namespace = 'http://specs.openid.net/auth/2.0';
const returnTo = 'http://localhost:3000/steam/return?state=s1';

function signInFields(more: Record<string, string> = {}) {
  const fields = {
    ns: namespace,
    mode: 'checkid_setup',
    identity: `${namespace}/identifier_select`,
    claimed_id: `${namespace}/identifier_select`,
    realm: 'http://localhost:3000/',
    return_to: returnTo,
    ...more,
  };
  return new URLSearchParams(Object.entries(fields).map(([name, value]) => [`openid.${name}`, value]));
}

/** Signs in as a browser does: with the page's form and one of its buttons. */
async function signIn(httpUrl: string, steamId: string) {
  const body = signInFields();
  body.set('steamid', steamId);
  const response = await fetch(`${httpUrl}/openid/login`, { method: 'POST', body, redirect: 'manual' });
  return new URL(response.headers.get('location') ?? '');
}

async function isValid(httpUrl: string, assertion: URLSearchParams) {
  const body = new URLSearchParams(assertion);
  body.set('openid.mode', 'check_authentication');
  const response = await fetch(`${httpUrl}/openid/login`, { method: 'POST', body });
  return (await response.text()).split('\n').includes('is_valid:true');
}

test('The page offers every person, and no bot', async () => {
  const { steam, viewer, bot, world } = await serveWorld();
  world.addUser({ name: 'Demo <script>' });
  const response = await fetch(`${steam.httpUrl}/openid/login?${signInFields()}`);
  const page = await response.text();
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(page).toContain(`value="${viewer.steamId}"`);
  expect(page).not.toContain(bot.steamId);
  expect(page).toContain('Demo &lt;script&gt;');
  expect(page).toContain('<strong>localhost:3000</strong>');
});

test('A choice redirects back with an assertion under Steam’s own URLs, valid once', async () => {
  const { steam, viewer } = await serveWorld();
  const back = await signIn(steam.httpUrl, viewer.steamId);
  expect(`${back.origin}${back.pathname}?state=${back.searchParams.get('state')}`).toBe(returnTo);
  expect(back.searchParams.get('openid.op_endpoint')).toBe('https://steamcommunity.com/openid/login');
  expect(back.searchParams.get('openid.claimed_id')).toBe(
    `https://steamcommunity.com/openid/id/${viewer.steamId}`,
  );
  expect(back.searchParams.get('openid.identity')).toBe(back.searchParams.get('openid.claimed_id'));
  expect(await isValid(steam.httpUrl, back.searchParams)).toBe(true);
  expect(await isValid(steam.httpUrl, back.searchParams)).toBe(false);
});

test.each(['claimed_id', 'identity', 'return_to', 'response_nonce', 'op_endpoint', 'assoc_handle', 'sig'])(
  'A modified %s is not genuine',
  async (field) => {
    const { steam, viewer } = await serveWorld();
    const { searchParams } = await signIn(steam.httpUrl, viewer.steamId);
    searchParams.set(`openid.${field}`, `${searchParams.get(`openid.${field}`)}1`);
    expect(await isValid(steam.httpUrl, searchParams)).toBe(false);
  },
);

test('Cancelling redirects back without an assertion', async () => {
  const { steam } = await serveWorld();
  const body = signInFields();
  body.set('cancel', '1');
  const response = await fetch(`${steam.httpUrl}/openid/login`, { method: 'POST', body, redirect: 'manual' });
  const back = new URL(response.headers.get('location') ?? '');
  expect(back.searchParams.get('openid.mode')).toBe('cancel');
  expect(back.searchParams.has('openid.sig')).toBe(false);
});

test.each([
  ['another mode', { mode: 'checkid_immediate' }],
  ['a return address outside the realm', { return_to: 'http://localhost:4000/steam/return' }],
  ['a script as return address', { return_to: 'javascript:alert(1)', realm: 'javascript:alert(1)' }],
  ['no return address', { return_to: '' }],
  ['another protocol', { ns: 'http://openid.net/signon/1.1' }],
])('A request with %s is refused', async (_name, more) => {
  const { steam } = await serveWorld();
  const response = await fetch(`${steam.httpUrl}/openid/login?${signInFields(more)}`, { redirect: 'manual' });
  expect(response.status).toBe(400);
});
