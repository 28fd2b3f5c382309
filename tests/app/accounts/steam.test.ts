import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { verified } from '#app/middleware/guards.server.ts';
import { action as passwordAction } from '#app/routes/account/password.tsx';
import { loader as profileLoader, action as tradeLinkAction } from '#app/routes/account/profile.tsx';
import { action as signInAction } from '#app/routes/auth/signin.tsx';
import { loader as callbackLoader } from '#app/routes/steam/callback.ts';
import { loader as linkLoader } from '#app/routes/steam/link.ts';
import { action as unlinkAction, loader as unlinkLoader } from '#app/routes/steam/unlink.tsx';
import { database } from '#app/services/database.server.ts';
import { sessionCookieName } from '#app/services/sign-in/session.server.ts';
import { formatTradeLink } from '#domain/identity/steam/trade-link.ts';
import { minute } from '#domain/kernel/time.ts';
import { browserPages } from '#sandbox/steam/browser-pages.ts';
import { SteamWorld } from '#sandbox/steam/world.ts';
import { addBot, asset, deposit } from '#tests/support/fixtures.ts';
import { KEEP_ALIVE_MS } from '#tests/support/patience.ts';
import { confirmedAgo } from '../support/confirmed-ago.ts';
import { decideElsewhere } from '../support/decide-elsewhere.ts';
import { member, newcomer, signUpForm } from '../support/member.ts';
import { Visitor } from '../support/visitor.ts';
import { setWeb } from '../support/web.ts';

const world = new SteamWorld({ now: () => Date.now() });
const steam = createServer(
  { keepAliveTimeout: KEEP_ALIVE_MS },
  browserPages(world, () => {}),
);
await new Promise<void>((resolve) => steam.listen(0, '127.0.0.1', resolve));
const steamUrl = `http://127.0.0.1:${(steam.address() as AddressInfo).port}`;
/** The bot's answer about trade links: status and body. */
let said: [number, unknown] = [503, { code: 'steamUnavailable' }];
const asked: { url: string; secret: unknown }[] = [];
const bot = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
  if (request.method === 'GET')
    asked.push({ url: request.url ?? '', secret: request.headers['x-bot-secret'] });
  response.writeHead(said[0], { 'Content-Type': 'application/json' }).end(JSON.stringify(said[1]));
});
await new Promise<void>((resolve) => bot.listen(0, '127.0.0.1', resolve));
await setWeb({
  STEAM_OPENID_URL: `${steamUrl}/openid/login`,
  BOT_URL: `http://127.0.0.1:${(bot.address() as AddressInfo).port}`,
  BOT_SECRET: 'a secret between two demo processes',
});
afterAll(() => {
  bot.closeAllConnections();
  bot.close();
  steam.closeAllConnections();
  return new Promise((resolve) => steam.close(resolve));
});

const guard = verified;
let numbers = 0;
const newPerson = () => world.addUser({ name: `Demo person ${++numbers}` });

const start = async (visitor: Visitor) =>
  (await visitor.call(linkLoader, '/steam/link', { guard })).location ?? '';
const comeBack = (visitor: Visitor, address: string) => visitor.call(callbackLoader, address, { guard });
const throughSteam = async (visitor: Visitor, steamId: string) =>
  comeBack(visitor, await decideElsewhere(await start(visitor), { steamid: steamId }));
const steamOf = async (visitor: Visitor) =>
  (await visitor.call(profileLoader, '/profile', { guard })).body.account.steam;
const saveTradeLink = (visitor: Visitor, tradeLink: string) =>
  visitor.call(tradeLinkAction, '/profile', { form: { trade_link: tradeLink }, guard });

test('Linking redirects to Steam and returns with the account', async () => {
  const person = newPerson();
  const { visitor } = await member();
  const asked = new URL(await start(visitor));
  expect(asked.origin).toBe(steamUrl);
  expect(asked.searchParams.get('openid.realm')).toBe('http://localhost:3000');
  expect(await throughSteam(visitor, person.steamId)).toMatchObject({
    location: '/profile#trade-link',
    toast: 'profile.steam.linked',
  });
  expect(await steamOf(visitor)).toMatchObject({ steamId: person.steamId, tradeLink: null });
});

test('Linking needs a verified address', async () => {
  const { visitor } = await newcomer();
  expect(await start(visitor)).toBe('/email/unverified');
  expect(await start(new Visitor())).toBe('/auth/signup');
});

test('An answer works once', async () => {
  const { visitor } = await member();
  const answer = await decideElsewhere(await start(visitor), { steamid: newPerson().steamId });
  expect((await comeBack(visitor, answer)).toast).toBe('profile.steam.linked');
  expect(visitor.cookieNames()).not.toContain('keepsake_steam');
  expect((await comeBack(visitor, answer)).toast).toBe('errors.steam.notStartedHere');
});

test('A replayed answer is refused, even with the cookie of its attempt', async () => {
  const { visitor } = await member();
  const answer = await decideElsewhere(await start(visitor), { steamid: newPerson().steamId });
  const attempt = visitor.cookie('keepsake_steam') ?? '';
  await comeBack(visitor, answer);
  await visitor.call(unlinkAction, '/steam/unlink', { form: {}, guard });
  visitor.plant('keepsake_steam', attempt);
  expect((await comeBack(visitor, answer)).toast).toBe('errors.steam.notStartedHere');
  expect(await steamOf(visitor)).toBeNull();
});

test('An answer for another browser, another user or another attempt is refused', async () => {
  const { visitor } = await member();
  const victim = (await member()).visitor;
  const answer = await decideElsewhere(await start(visitor), { steamid: newPerson().steamId });
  expect((await comeBack(victim, answer)).toast).toBe('errors.steam.notStartedHere');
  await start(victim);
  expect((await comeBack(victim, answer)).toast).toBe('errors.steam.notStartedHere');
  const attempt = visitor.cookie('keepsake_steam') ?? '';
  victim.plant('keepsake_steam', attempt);
  expect((await comeBack(victim, answer)).toast).toBe('errors.steam.notStartedHere');
  expect(await steamOf(victim)).toBeNull();
});

test('An unsigned attempt is not accepted', async () => {
  const { visitor } = await member();
  const answer = await decideElsewhere(await start(visitor), { steamid: newPerson().steamId });
  const state = new URL(answer).searchParams.get('state');
  const { account } = (await visitor.call(profileLoader, '/profile', { guard })).body;
  visitor.plant('keepsake_steam', encodeURIComponent(btoa(JSON.stringify({ state, userId: account.id }))));
  expect((await comeBack(visitor, answer)).toast).toBe('errors.steam.notStartedHere');
});

test('An own answer with somebody else’s SteamID64 is refused', async () => {
  const { visitor } = await member();
  const own = newPerson();
  const other = newPerson();
  const answer = await decideElsewhere(await start(visitor), { steamid: own.steamId });
  const forged = answer.replaceAll(own.steamId, other.steamId);
  expect((await comeBack(visitor, forged)).toast).toBe('errors.steam.notStartedHere');
  expect(await steamOf(visitor)).toBeNull();
});

test('Cancelling on Steam changes nothing', async () => {
  const { visitor } = await member();
  const answer = await decideElsewhere(await start(visitor), { cancel: '1' });
  expect((await comeBack(visitor, answer)).toast).toBe('errors.steam.cancelled');
});

test('A Steam account linked to another user is refused', async () => {
  const person = newPerson();
  await throughSteam((await member()).visitor, person.steamId);
  const { visitor } = await member();
  expect((await throughSteam(visitor, person.steamId)).toast).toBe('errors.account.steamLinkedElsewhere');
});

test('The trade link is checked against the linked account and stored', async () => {
  const person = newPerson();
  const other = newPerson();
  const { visitor } = await member();
  const early = await saveTradeLink(visitor, world.tradeUrlOf(person));
  expect(early.body.result.error).toEqual({ trade_link: ['errors.account.steamNotLinked'] });
  await throughSteam(visitor, person.steamId);
  const wrong = await saveTradeLink(visitor, world.tradeUrlOf(other));
  expect(wrong.status).toBe(400);
  expect(wrong.body.result.error).toEqual({ trade_link: ['errors.account.tradeLinkNotYours'] });
  const nonsense = await saveTradeLink(visitor, 'https://evil.example/');
  expect(nonsense.body.result.error).toEqual({ trade_link: ['errors.account.tradeLinkMalformed'] });
  const answer = await saveTradeLink(visitor, world.tradeUrlOf(person));
  expect(answer).toMatchObject({ location: '/profile', toast: 'messages.tradeLinkUpdated' });
  expect((await steamOf(visitor)).tradeLink).toBe(world.tradeUrlOf(person));
  // A checklist goes on where its button says; nobody else's `from` leads anywhere.
  const saveFrom = (from: string) =>
    visitor.call(tradeLinkAction, '/profile', {
      form: { trade_link: world.tradeUrlOf(person), from },
      guard,
    });
  expect((await saveFrom('streamer')).location).toBe('/items');
  expect((await saveFrom('viewer')).location).toBe('/dashboard?view=viewer');
  expect((await saveFrom('https://evil.example')).location).toBe('/profile');
  expect(asked.some(({ url }) => url.includes(other.steamId))).toBe(false);
});

test('A trade link that Steam rejects is refused, and one with a trade hold is stored with a warning', async () => {
  const person = newPerson();
  const { visitor } = await member();
  await throughSteam(visitor, person.steamId);
  said = [200, { tokenValid: false }];
  const dead = await saveTradeLink(visitor, world.tradeUrlOf(person));
  expect(dead.body.result.error).toEqual({ trade_link: ['errors.account.tradeLinkDead'] });
  expect((await steamOf(visitor)).tradeLink).toBeNull();
  const question = asked.at(-1);
  expect(question?.secret).toBe('a secret between two demo processes');
  expect(question?.url).toMatch(/^\/readiness\?userId=[\w-]+&/);
  expect(question?.url.endsWith(`&steamId=${person.steamId}&tradeToken=${person.tradeToken}`)).toBe(true);
  said = [200, { tokenValid: true, ourDays: 0, theirDays: 15 }];
  const held = await saveTradeLink(visitor, world.tradeUrlOf(person));
  expect(held.message).toMatchObject({
    type: 'warning',
    body: 'profile.tradeLink.held',
    values: { count: 15 },
  });
  said = [200, { nonsense: true }];
  expect((await saveTradeLink(visitor, world.tradeUrlOf(person))).toast).toBe('messages.tradeLinkUpdated');
});

test('Disconnecting asks for confirmation and deletes the trade link', async () => {
  const person = newPerson();
  const { visitor } = await member();
  await throughSteam(visitor, person.steamId);
  const asked = await visitor.call(unlinkLoader, '/steam/unlink', { guard });
  expect(asked.body).toEqual({ name: person.steamId });
  const answer = await visitor.call(unlinkAction, '/steam/unlink', { form: {}, guard });
  expect(answer).toMatchObject({ location: '/profile', toast: 'profile.steam.unlinked' });
  expect(await steamOf(visitor)).toBeNull();
});

test('Changing the password needs the current one and signs other browsers out', async () => {
  const form = signUpForm();
  const { visitor, email } = await member(form);
  const phone = new Visitor();
  await phone.call(signInAction, '/auth/signin', { form: { email, password: form.password } });
  const change = (current: string) =>
    visitor.call(passwordAction, '/profile/password', {
      form: { current, next: 'a longer sentence' },
      guard,
    });
  expect((await change('not my password')).body.result.error).toEqual({
    '': ['errors.account.passwordWrong'],
  });
  expect(await change(form.password)).toMatchObject({
    location: '/profile',
    toast: 'messages.passwordUpdated',
  });
  expect((await visitor.call(profileLoader, '/profile', { guard })).location).toBeNull();
  expect((await phone.call(profileLoader, '/profile', { guard })).location).toBe('/auth/signup');
  const again = await phone.call(signInAction, '/auth/signin', {
    form: { email, password: 'a longer sentence' },
  });
  expect(again.location).toBe('/dashboard');
  expect(phone.cookieNames()).toContain(sessionCookieName());
});

test('Whoever has items in custody connects Steam in a session that was confirmed lately', async () => {
  const { visitor } = await member();
  const { id: userId } = (await visitor.call(profileLoader, '/profile', { guard })).body.account;
  const first = newPerson();
  await throughSteam(visitor, first.steamId);
  await saveTradeLink(visitor, formatTradeLink({ steamId: first.steamId, token: 'AbCdEfGh' }));
  const db = await database();
  await addBot(db);
  await deposit(db, { userId, steamId: first.steamId, twitchId: '' }, [asset()]);
  await visitor.call(unlinkAction, '/steam/unlink', { form: {}, guard });
  const answer = await decideElsewhere(await start(visitor), { steamid: newPerson().steamId });
  await confirmedAgo(visitor, 11 * minute);
  const asked = `/profile/confirm?${new URLSearchParams({ to: '/steam/link' })}`;
  expect(await start(visitor)).toBe(asked);
  expect((await comeBack(visitor, answer)).location).toBe(asked);
  expect(await steamOf(visitor)).toBeNull();
  await confirmedAgo(visitor, 9 * minute);
  expect((await comeBack(visitor, answer)).toast).toBe('profile.steam.linked');
});
