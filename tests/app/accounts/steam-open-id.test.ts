import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { steamSignInUrl, verifySteamAnswer } from '#app/services/sign-in/steam-open-id.server.ts';
import { browserPages } from '#sandbox/steam/browser-pages.ts';
import { SteamWorld } from '#sandbox/steam/world.ts';
import { KEEP_ALIVE_MS } from '#tests/support/patience.ts';

const world = new SteamWorld({ now: () => Date.now() });
const person = world.addUser({ name: 'Demo person' });
const victim = world.addUser({ name: 'Demo victim' });
const provider = createServer(
  { keepAliveTimeout: KEEP_ALIVE_MS },
  browserPages(world, () => {}),
);
await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve));
const endpoint = new URL(`http://127.0.0.1:${(provider.address() as AddressInfo).port}/openid/login`);
afterAll(() => {
  provider.closeAllConnections();
  return new Promise((resolve) => provider.close(resolve));
});

const returnTo = 'http://localhost:3000/steam/callback?state=s1';

async function answerTo(address = returnTo): Promise<URL> {
  const asked = new URL(steamSignInUrl(endpoint, { realm: new URL(address).origin, returnTo: address }));
  const fields = new URLSearchParams(asked.search);
  fields.set('steamid', person.steamId);
  const response = await fetch(endpoint, { method: 'POST', body: fields, redirect: 'manual' });
  return new URL(response.headers.get('Location') ?? '');
}

const spent = new Set<string>();
const verify = (answer: URL, more: Partial<Parameters<typeof verifySteamAnswer>[1]> = {}) =>
  verifySteamAnswer(answer, {
    endpoint,
    returnTo,
    nowMs: Date.now(),
    spendNonce: async (nonce) => !spent.has(nonce) && Boolean(spent.add(nonce)),
    ...more,
  });
const refused = (code: string) => ({ ok: false, code });

test('A genuine answer from Steam identifies the person', async () => {
  expect(await verify(await answerTo())).toEqual({ ok: true, steamId: person.steamId });
});

type Change = (fields: URLSearchParams) => void;
const set =
  (name: string, value: string): Change =>
  (fields) =>
    fields.set(`openid.${name}`, value);
const identity = (id: string): Change => {
  return (fields) => {
    fields.set('openid.claimed_id', id);
    fields.set('openid.identity', id);
  };
};
const without =
  (name: string): Change =>
  (fields) => {
    const signed = (fields.get('openid.signed') ?? '').split(',').filter((each) => each !== name);
    fields.set('openid.signed', signed.join(','));
  };

/** A Steam that confirms everything: only our own checks refuse here. */
const credulous = createServer((_request, response) => response.end('is_valid:true\n'));
await new Promise<void>((resolve) => credulous.listen(0, '127.0.0.1', resolve));
const credulousUrl = new URL(`http://127.0.0.1:${(credulous.address() as AddressInfo).port}/`);
afterAll(() => {
  credulous.closeAllConnections();
  return new Promise((resolve) => credulous.close(resolve));
});

test.each<[string, Change]>([
  ['an identity on another host', identity(`http://83.97.20.218/openid/id/${person.steamId}`)],
  ['an identity over http', identity(`http://steamcommunity.com/openid/id/${person.steamId}`)],
  [
    'an identity on a look-alike host',
    identity(`https://steamcommunity.com.evil.example/openid/id/${person.steamId}`),
  ],
  ['an identity with a longer number', identity(`https://steamcommunity.com/openid/id/${person.steamId}0`)],
  ['an identity with a line after it', identity(`https://steamcommunity.com/openid/id/${person.steamId}\n`)],
  ['an identity that is no person', identity('https://steamcommunity.com/openid/id/1')],
  ['two different identities', set('identity', `https://steamcommunity.com/openid/id/${victim.steamId}`)],
  ['the endpoint of somebody else', set('op_endpoint', 'https://evil.example/openid/login')],
  ['another version of OpenID', set('ns', 'http://openid.net/signon/1.1')],
  ['another mode', set('mode', 'check_authentication')],
  ['a field that OpenID does not know', set('sreg.email', 'demo@example.org')],
  ['a field behind a null byte', (fields) => fields.set('openid.signed\0x', 'y')],
  ['a null byte in a value', set('claimed_id', `https://steamcommunity.com/openid/id/${person.steamId}\0`)],
  ['letters beyond ASCII', set('assoc_handle', '１２３')],
  ['a field of another case', (fields) => fields.set('OpenID.claimed_id', 'x')],
  ['a field twice', (fields) => fields.append('openid.claimed_id', fields.get('openid.claimed_id') ?? '')],
  ['an unsigned identity', without('identity')],
  ['an unsigned claimed id', without('claimed_id')],
  ['an unsigned address', without('return_to')],
  ['an unsigned nonce', without('response_nonce')],
  ['an unsigned endpoint', without('op_endpoint')],
  ['an unsigned handle', without('assoc_handle')],
  [
    'nothing but a mode',
    (fields) => {
      for (const key of [...fields.keys()]) if (key.startsWith('openid.')) fields.delete(key);
      fields.set('openid.mode', 'id_res');
    },
  ],
])('An answer with %s is refused without asking Steam', async (_, change) => {
  const answer = await answerTo();
  change(answer.searchParams);
  expect(await verify(answer, { endpoint: credulousUrl })).toEqual(refused('forged'));
});

test.each<[string, Change]>([
  ['another person’s id', identity(`https://steamcommunity.com/openid/id/${victim.steamId}`)],
  ['no signature', set('sig', '')],
  ['somebody else’s signature', set('sig', Buffer.alloc(20).toString('base64'))],
])('An answer with %s is refused by Steam', async (_, change) => {
  const answer = await answerTo();
  change(answer.searchParams);
  expect(await verify(answer)).toEqual(refused('forged'));
});

test('A modified nonce is refused by Steam', async () => {
  const answer = await answerTo();
  answer.searchParams.set('openid.response_nonce', `${answer.searchParams.get('openid.response_nonce')}x`);
  expect(await verify(answer)).toEqual(refused('forged'));
});

test('An answer is accepted once', async () => {
  const answer = await answerTo();
  expect(await verify(answer)).toMatchObject({ ok: true });
  expect(await verify(answer)).toEqual(refused('replayed'));
});

test('An answer that Steam confirmed once is not confirmed again', async () => {
  const answer = await answerTo();
  expect(await verify(answer)).toMatchObject({ ok: true });
  expect(await verify(answer, { spendNonce: async () => true })).toEqual(refused('forged'));
});

test('An answer older or newer than five minutes is refused', async () => {
  const answer = await answerTo();
  for (const nowMs of [Date.now() + 302_000, Date.now() - 302_000])
    expect(await verify(answer, { nowMs })).toEqual(refused('stale'));
});

test('A nonce without a time is refused', async () => {
  const answer = await answerTo();
  answer.searchParams.set('openid.response_nonce', 'now');
  expect(await verify(answer)).toEqual(refused('stale'));
});

test.each([
  ['another site', 'https://evil.example/steam/callback?state=s1'],
  ['another attempt', 'http://localhost:3000/steam/callback?state=s2'],
  ['another page', 'http://localhost:3000/other?state=s1'],
  ['no attempt', 'http://localhost:3000/steam/callback'],
])('An answer issued for %s is refused', async (_, address) => {
  const answer = await answerTo(address);
  expect(await verify(answer, { endpoint: credulousUrl })).toEqual(refused('notStartedHere'));
  // The same fields, replayed at this attempt's return URL.
  const relayed = new URL(returnTo);
  for (const [key, value] of answer.searchParams)
    if (key.startsWith('openid.')) relayed.searchParams.set(key, value);
  expect(await verify(relayed, { endpoint: credulousUrl })).toEqual(refused('notStartedHere'));
});

test('An answer that arrives at a URL other than the signed one is refused', async () => {
  const answer = await answerTo();
  answer.searchParams.set('state', 's2');
  expect(await verify(answer, { endpoint: credulousUrl })).toEqual(refused('notStartedHere'));
});

test('An endpoint named in the answer is never contacted', async () => {
  let asked = 0;
  const evil = createServer((_request, response) => {
    asked++;
    response.end('ns:http://specs.openid.net/auth/2.0\nis_valid:true\n');
  });
  await new Promise<void>((resolve) => evil.listen(0, '127.0.0.1', resolve));
  const answer = await answerTo();
  answer.searchParams.set('openid.op_endpoint', `http://127.0.0.1:${(evil.address() as AddressInfo).port}/`);
  expect(await verify(answer)).toEqual(refused('forged'));
  expect(asked).toBe(0);
  await new Promise((resolve) => evil.close(resolve));
});

test.each<[string, number, string, Record<string, string>]>([
  ['an error', 500, 'is_valid:true\n', {}],
  ['a redirect', 302, '', { Location: credulousUrl.href }],
])('A Steam answer with %s confirms nothing', async (_, status, body, headers) => {
  const broken = createServer((_request, response) => response.writeHead(status, headers).end(body));
  await new Promise<void>((resolve) => broken.listen(0, '127.0.0.1', resolve));
  const address = new URL(`http://127.0.0.1:${(broken.address() as AddressInfo).port}/`);
  expect(await verify(await answerTo(), { endpoint: address })).toEqual(refused('unavailable'));
  broken.closeAllConnections();
  await new Promise((resolve) => broken.close(resolve));
  expect(await verify(await answerTo(), { endpoint: address })).toEqual(refused('unavailable'));
});

test('Requests to Steam look like its own site’s, because it answers no others', async () => {
  const seen: Record<string, unknown>[] = [];
  const watching = createServer((request, response) => {
    seen.push(request.headers);
    response.end('is_valid:true\n');
  });
  await new Promise<void>((resolve) => watching.listen(0, '127.0.0.1', resolve));
  const address = new URL(`http://127.0.0.1:${(watching.address() as AddressInfo).port}/`);
  expect(await verify(await answerTo(), { endpoint: address })).toMatchObject({ ok: true });
  expect(seen[0]).toMatchObject({
    origin: 'https://steamcommunity.com',
    referer: 'https://steamcommunity.com/',
  });
  watching.closeAllConnections();
  await new Promise((resolve) => watching.close(resolve));
});
