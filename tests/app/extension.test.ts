import { expect, test } from 'vitest';
import { loader as twitchLoader } from '#app/routes/auth/twitch.ts';
import { loader as twitchCallback } from '#app/routes/auth/twitch-callback.ts';
import {
  action as codeAction,
  headers as codeHeaders,
  loader as codeLoader,
} from '#app/routes/extension/code.tsx';
import { loader as failedLoader } from '#app/routes/extension/failed.tsx';
import { loader as successLoader } from '#app/routes/extension/success.tsx';
import { loader as steamCallback } from '#app/routes/steam/callback.ts';
import { loader as steamLoader } from '#app/routes/steam/link.ts';
import { database } from '#app/services/database.server.ts';
import { extensionCodes } from '#db/schema/access.ts';
import { hashOfExtensionCode } from '#domain/identity/access/extension-code.ts';
import { redeemExtensionCode } from '#domain/identity/access/redeem-extension-code.ts';
import { minute } from '#domain/kernel/time.ts';
import { decideElsewhere } from './support/decide-elsewhere.ts';
import { startFakeTwitch } from './support/fake-twitch.ts';
import { member, newcomer } from './support/member.ts';
import { Visitor } from './support/visitor.ts';
import { setWeb } from './support/web.ts';

const twitch = await startFakeTwitch();
const { world } = twitch;
await setWeb({
  ...twitch.environment,
});

const look = (visitor: Visitor) => visitor.call(codeLoader, '/extension/code');
const showCode = (visitor: Visitor) => visitor.call(codeAction, '/extension/code', { form: {} });
const redeem = async (code: string, nowMs = Date.now()) =>
  redeemExtensionCode(await database(), { code, device: 'Demo phone' }, nowMs);

/** Submits the sandbox's consent page and returns the URL that Twitch redirects to. */
const decide = (authorizeUrl: string, login: string, decision = 'approve'): Promise<string> =>
  decideElsewhere(authorizeUrl, { decision, login });

async function throughTwitch(visitor: Visitor, login: string, query: string, decision?: string) {
  const { location } = await visitor.call(twitchLoader, `/auth/twitch${query}`);
  return visitor.call(twitchCallback, await decide(location ?? '', login, decision));
}

test('A visitor is offered no code and gets none', async () => {
  expect((await look(new Visitor())).body).toEqual({ name: null });
  const asked = await showCode(new Visitor());
  expect(asked).toMatchObject({ status: 302, location: '/auth/signup', body: null });
});

test('An unverified user gets no code, links nothing and is sent to verification', async () => {
  const { visitor } = await newcomer();
  const { login } = world.addUser({ login: 'demo_squatter' });
  expect((await look(visitor)).location).toBe('/email/unverified');
  expect(await showCode(visitor)).toMatchObject({ location: '/email/unverified', body: null });
  expect((await visitor.call(twitchLoader, '/auth/twitch')).location).toBe('/email/unverified');
  const { location } = await new Visitor().call(twitchLoader, '/auth/twitch');
  const answer = await decide(location ?? '', login);
  expect((await visitor.call(twitchCallback, answer)).location).toBe('/email/unverified');
  expect((await visitor.call(steamLoader, '/steam/link')).location).toBe('/email/unverified');
});

test('Opening the page creates no code, ends none and does not count against the limit', async () => {
  const { visitor } = await member();
  const { code } = (await showCode(visitor)).body.issued;
  for (let looks = 0; looks < 12; looks++)
    expect((await look(visitor)).body).toEqual({ name: 'Demo person' });
  const codes = await (await database()).read.select().from(extensionCodes);
  expect(codes.filter(({ codeHash }) => codeHash === hashOfExtensionCode(code))).toHaveLength(1);
  expect((await showCode(visitor)).status).toBe(200);
});

test('A code is shown with its lifetime, works once, and is not cached', async () => {
  const { visitor } = await member();
  const { code, expiresAtMs, lifetimeMs } = (await showCode(visitor)).body.issued;
  expect(lifetimeMs).toBe(10 * minute);
  expect(Math.abs(expiresAtMs - Date.now() - 10 * minute)).toBeLessThan(minute);
  expect(await redeem(code)).toMatchObject({ ok: true });
  expect(await redeem(code)).toMatchObject({ ok: false });
  const sent = codeHeaders({ actionHeaders: new Headers({ 'Retry-After': '60' }) } as never);
  expect([sent.get('Cache-Control'), sent.get('Retry-After')]).toEqual(['no-store', '60']);
});

test('Each new code replaces the one before, and the last one expires after ten minutes', async () => {
  const { visitor } = await member();
  const [first, second] = [(await showCode(visitor)).body.issued, (await showCode(visitor)).body.issued];
  expect(await redeem(first.code)).toMatchObject({ ok: false });
  expect(await redeem(second.code, second.expiresAtMs)).toMatchObject({ ok: false });
});

test('The number of codes is limited', async () => {
  const { visitor } = await member();
  const answers = [];
  for (let codes = 0; codes < 11; codes++) answers.push(await showCode(visitor));
  expect(answers[9]?.body.issued).not.toBeNull();
  expect(answers[10]).toMatchObject({ status: 429, body: { issued: null } });
  expect(answers[10]?.body.error).toMatch(/^errors\.page\.tooManyFor\|/);
});

test('Linking Twitch from the companion app ends on its success page', async () => {
  const { visitor } = await member();
  const { login } = world.addUser({ login: 'demo_app_user' });
  const answer = await throughTwitch(visitor, login, '?from=extension');
  expect(answer).toMatchObject({ location: '/extension/success?account=twitch', toast: null });
  const page = await visitor.call(successLoader, answer.location ?? '');
  expect(page.body).toEqual({ account: 'twitch' });
});

test('After a failure, the page says why and where to try again', async () => {
  const { login } = world.addUser({ login: 'demo_taken_user' });
  await throughTwitch(new Visitor(), login, '');
  const { visitor } = await member();
  const taken = await throughTwitch(visitor, login, '?from=extension');
  expect(taken.location).toBe('/extension/failed?account=twitch&reason=twitchLinkedElsewhere');
  expect((await visitor.call(failedLoader, taken.location ?? '')).body).toEqual({
    account: 'twitch',
    key: 'errors.account.twitchLinkedElsewhere',
    retry: '/auth/twitch?from=extension',
  });
  const denied = await throughTwitch(visitor, login, '?from=extension', 'deny');
  expect(denied.location).toBe('/extension/failed?account=twitch&reason=denied');
});

test('A visitor sent here by the companion app to sign up with Twitch ends there too', async () => {
  const { login } = world.addUser({ login: 'demo_app_newcomer' });
  const answer = await throughTwitch(new Visitor(), login, '?from=extension');
  expect(answer.location).toBe('/extension/success?account=twitch');
});

test('The companion app’s marker is valid for one linking only', async () => {
  const { visitor } = await member();
  const { login } = world.addUser({ login: 'demo_web_user' });
  await visitor.call(twitchLoader, '/auth/twitch?from=extension');
  expect(await throughTwitch(visitor, login, '')).toMatchObject({ location: '/profile' });
});

/** Returns where Steam sends a browser back whose user cancels there. */
async function cancelled(visitor: Visitor, query: string): Promise<string> {
  const { location } = await visitor.call(steamLoader, `/steam/link${query}`);
  const back = new URL(new URL(location ?? '').searchParams.get('openid.return_to') ?? '');
  back.searchParams.set('openid.ns', 'http://specs.openid.net/auth/2.0');
  back.searchParams.set('openid.mode', 'cancel');
  return back.href;
}

test('A cancelled Steam sign-in from the companion app ends on the page that says so', async () => {
  const { visitor } = await member();
  const answer = await visitor.call(steamCallback, await cancelled(visitor, '?from=extension'));
  expect(answer.location).toBe('/extension/failed?account=steam&reason=cancelled');
  expect((await visitor.call(failedLoader, answer.location ?? '')).body).toMatchObject({
    key: 'errors.steam.cancelled',
    retry: '/steam/link?from=extension',
  });
  expect((await visitor.call(steamCallback, await cancelled(visitor, ''))).location).toBe('/profile');
});

test('A URL with an unknown account or reason gets a general text', async () => {
  const visitor = new Visitor();
  const unknown = { account: null, key: 'extension.failed.unknown', retry: null };
  for (const query of ['', '?account=evil&reason=<b>', '?reason=denied'])
    expect((await visitor.call(failedLoader, `/extension/failed${query}`)).body).toEqual(unknown);
  const odd = await visitor.call(failedLoader, '/extension/failed?account=steam&reason=toString');
  expect(odd.body).toMatchObject({ account: 'steam', key: 'extension.failed.unknown' });
});

test('The page for success sends away whoever has not connected that account', async () => {
  const look = async (visitor: Visitor, query: string) =>
    (await visitor.call(successLoader, `/extension/success${query}`)).location;
  expect(await look(new Visitor(), '?account=twitch')).toBe('/extension/failed?account=twitch');
  const { visitor } = await member();
  expect(await look(visitor, '?account=steam')).toBe('/extension/failed?account=steam');
  expect(await look(visitor, '?account=x')).toBe('/extension/failed');
});

test('Connecting an account from a checklist returns to it', async () => {
  const { visitor } = await member();
  const { login } = world.addUser({ login: 'demo_list_user' });
  const answer = await throughTwitch(visitor, login, '?permissions=streamer&from=streamer');
  expect(answer).toMatchObject({ location: '/dashboard?view=streamer' });
  expect((await throughTwitch(visitor, login, '?from=https://evil.example')).location).toBe('/profile');
  const back = await cancelled(visitor, '?from=viewer');
  expect((await visitor.call(steamCallback, back)).location).toBe('/dashboard?view=viewer');
});
