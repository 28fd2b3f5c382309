import { eq } from 'drizzle-orm';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { twitchErrors } from '#app/http/metrics.server.ts';
import { verified } from '#app/middleware/guards.server.ts';
import { loader as profileLoader } from '#app/routes/account/profile.tsx';
import { loader as startLoader } from '#app/routes/auth/twitch.ts';
import { loader as callbackLoader } from '#app/routes/auth/twitch-callback.ts';
import { action as unlinkAction, loader as unlinkLoader } from '#app/routes/twitch/unlink.tsx';
import { database } from '#app/services/database.server.ts';
import { sessionCookieName } from '#app/services/sign-in/session.server.ts';
import { vault } from '#app/services/vault.server.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { linkSteam } from '#domain/account/steam/link-steam.ts';
import { botScope, channelScopes, streamerScopes } from '#domain/identity/twitch/twitch-scopes.ts';
import { nextNumber, steamIdOf } from '#tests/support/fixtures.ts';
import { addPointsRule } from '#tests/support/redemptions.ts';
import { decideElsewhere } from '../support/decide-elsewhere.ts';
import { startFakeBot } from '../support/fake-bot.ts';
import { startFakeTwitch } from '../support/fake-twitch.ts';
import { member, signUpForm } from '../support/member.ts';
import { Visitor } from '../support/visitor.ts';
import { setWeb } from '../support/web.ts';

const twitch = await startFakeTwitch();
const { world } = twitch;
const bot = await startFakeBot();
await setWeb({
  BOT_URL: bot.url,
  METRICS_TOKEN: 'a token of more than 32 characters',
  ...twitch.environment,
});
afterAll(() => bot.stop());
beforeEach(() => {
  world.faults.clear();
  bot.trouble = null;
});

let numbers = 0;
const newPerson = (more: { email?: string } = {}) =>
  world.addUser({ login: `demo_person_${++numbers}`, ...more });

const start = (visitor: Visitor, query = '') => visitor.call(startLoader, `/auth/twitch${query}`);
const comeBack = (visitor: Visitor, address: string) => visitor.call(callbackLoader, address);

/** Submits the sandbox's consent page and returns the URL that Twitch redirects to. */
const decide = (authorizeUrl: string, login: string, decision = 'approve'): Promise<string> =>
  decideElsewhere(authorizeUrl, { decision, login });

async function throughTwitch(visitor: Visitor, login: string, query = '') {
  const { location } = await start(visitor, query);
  return comeBack(visitor, await decide(location ?? '', login));
}

const accountOf = async (visitor: Visitor) =>
  (await visitor.call(profileLoader, '/profile', { guard: verified })).body?.account;

test('Signing in asks Twitch for the e-mail address only, streaming also for the channel’s permissions', async () => {
  const asked = new URL((await start(new Visitor())).location ?? '');
  expect(`${asked.origin}${asked.pathname}`).toBe(`${twitch.url}/auth/authorize`);
  expect(asked.searchParams.get('scope')).toBe('user:read:email');
  expect(asked.searchParams.get('redirect_uri')).toBe('http://localhost:3000/auth/twitch/callback');
  expect(asked.searchParams.has('code_challenge')).toBe(false);
  const extended = new URL((await start(new Visitor(), '?permissions=streamer')).location ?? '');
  expect(extended.searchParams.get('scope')).toBe(['user:read:email', ...channelScopes].join(' '));
});

test('Whoever is signed in is asked for what is used only, and for channel points when they are, or were', async () => {
  const person = newPerson();
  const { visitor } = await member();
  const asked = async (query: string) =>
    new URL((await start(visitor, query)).location ?? '').searchParams.get('scope');
  expect(await asked('')).toBe('');
  expect(await asked('?permissions=streamer')).toBe(channelScopes.join(' '));
  await throughTwitch(visitor, person.login);
  await throughTwitch(visitor, person.login, '?permissions=streamer');
  expect((await accountOf(visitor)).twitch).toMatchObject({
    streamingFeaturesEnabled: true,
    pointsEnabled: false,
  });
  await throughTwitch(visitor, person.login, '?permissions=points');
  expect((await accountOf(visitor)).twitch).toMatchObject({ pointsEnabled: true });
  expect(await asked('?permissions=streamer')).toBe(streamerScopes.join(' '));
});

test('A streamer is asked to let the bot in where the channel’s page says so, and from then on again', async () => {
  const person = newPerson();
  const { visitor } = await member();
  const asked = async (query: string) =>
    new URL((await start(visitor, query)).location ?? '').searchParams.get('scope');
  const withBot = [...channelScopes, botScope].join(' ');
  await throughTwitch(visitor, person.login, '?permissions=streamer');
  expect(await asked('?permissions=bot')).toBe(withBot);
  expect(await throughTwitch(visitor, person.login, '?permissions=bot&from=channel')).toMatchObject({
    location: '/channel',
  });
  expect(await asked('?permissions=streamer')).toBe(withBot);
  // A grant without it does not take its place.
  await throughTwitch(visitor, person.login, '');
  expect((await accountOf(visitor)).twitch?.scopes).toContain(botScope);
  expect(await asked('')).toBe('');
});

test('A new Twitch user gets an account with a verified address, and is signed in the next time', async () => {
  const person = newPerson();
  const visitor = new Visitor();
  const answer = await throughTwitch(visitor, person.login);
  expect(answer).toMatchObject({ location: '/dashboard', toast: 'messages.registered' });
  expect(await accountOf(visitor)).toMatchObject({ email: person.email, twitch: { id: person.id } });
  const elsewhere = new Visitor();
  expect(await throughTwitch(elsewhere, person.login)).toMatchObject({ location: '/dashboard', toast: null });
  expect((await accountOf(elsewhere)).id).toBe((await accountOf(visitor)).id);
});

test('An account with the same address is not linked automatically; its owner links it when signed in', async () => {
  const { visitor, email } = await member();
  const person = newPerson({ email });
  const stranger = new Visitor();
  const answer = await throughTwitch(stranger, person.login);
  expect(answer).toMatchObject({ location: '/auth/signin', toast: 'errors.account.twitchEmailTaken' });
  expect(stranger.cookieNames()).not.toContain(sessionCookieName());
  expect(await throughTwitch(visitor, person.login)).toMatchObject({
    location: '/profile',
    toast: 'profile.twitch.linked',
  });
  expect((await accountOf(visitor)).twitch).toMatchObject({ id: person.id, streamingFeaturesEnabled: false });
});

test('Extended permissions enable streaming, and the tokens are stored encrypted', async () => {
  const person = newPerson();
  const { visitor } = await member();
  await throughTwitch(visitor, person.login, '?permissions=streamer');
  expect((await accountOf(visitor)).twitch).toMatchObject({
    streamingFeaturesEnabled: true,
    missingScopes: [],
  });
  const db = await database();
  const [row] = await db.read.select().from(twitchAccounts).where(eq(twitchAccounts.twitchId, person.id));
  const token = vault().open(row?.accessTokenSealed ?? '', `twitch:${person.id}`);
  expect(world.tokens.findValid(token)?.userId).toBe(person.id);
});

test('A Twitch account linked to another user is refused', async () => {
  const person = newPerson();
  await throughTwitch(new Visitor(), person.login);
  const { visitor } = await member();
  const answer = await throughTwitch(visitor, person.login);
  expect(answer).toMatchObject({ location: '/profile', toast: 'errors.account.twitchLinkedElsewhere' });
});

test('An answer to a request from another browser is refused', async () => {
  const person = newPerson();
  const attacker = new Visitor();
  const { location } = await start(attacker);
  const theirAnswer = await decide(location ?? '', person.login);
  const victim = new Visitor();
  const refused = { location: '/auth/signin', toast: 'errors.twitch.notStartedHere' };
  expect(await comeBack(victim, theirAnswer)).toMatchObject(refused);
  await start(victim);
  expect(await comeBack(victim, theirAnswer)).toMatchObject(refused);
  expect(victim.cookieNames()).not.toContain(sessionCookieName());
});

test('A modified, missing or forged state is refused', async () => {
  const person = newPerson();
  for (const forge of [
    (answer: URL) => answer.searchParams.set('state', `${answer.searchParams.get('state')}x`),
    (answer: URL) => answer.searchParams.set('state', `x${answer.searchParams.get('state')}`),
    (answer: URL) => answer.searchParams.delete('state'),
    (answer: URL) => answer.searchParams.set('state', ''),
    (answer: URL) => answer.searchParams.set('state', 'made-up'),
  ]) {
    const visitor = new Visitor();
    const { location } = await start(visitor);
    const answer = new URL(await decide(location ?? '', person.login));
    forge(answer);
    expect((await comeBack(visitor, answer.href)).toast).toBe('errors.twitch.notStartedHere');
  }
});

test('An answer works once', async () => {
  const person = newPerson();
  const visitor = new Visitor();
  const { location } = await start(visitor);
  const answer = await decide(location ?? '', person.login);
  expect((await comeBack(visitor, answer)).location).toBe('/dashboard');
  expect(visitor.cookieNames().filter((name) => name.startsWith('keepsake_twitch'))).toEqual([]);
  expect((await comeBack(visitor, answer)).toast).toBe('errors.twitch.notStartedHere');
});

test('A link started by one user cannot be completed by another', async () => {
  const person = newPerson();
  const { visitor } = await member();
  const { location } = await start(visitor);
  const answer = await decide(location ?? '', person.login);
  const other = await member();
  visitor.plant(sessionCookieName(), other.visitor.cookie(sessionCookieName()) ?? '');
  expect((await comeBack(visitor, answer)).toast).toBe('errors.twitch.notStartedHere');
  expect((await accountOf(other.visitor)).twitch).toBeNull();
});

test('A state in the query of our own start URL is not accepted as an answer', async () => {
  const asked = new URL((await start(new Visitor(), '?state=forged&code=forged')).location ?? '');
  expect(asked.searchParams.get('state')).not.toBe('forged');
});

test('No URL in a link decides where users end up', async () => {
  const visitor = new Visitor();
  const foreign = '?to=//evil.example&redirect_uri=https://evil.example&returnTo=https://evil.example';
  const { location } = await start(visitor, foreign);
  expect(location).not.toContain('evil.example');
  const answer = new URL(await decide(location ?? '', newPerson().login));
  for (const name of ['to', 'redirect_uri', 'returnTo'])
    answer.searchParams.set(name, 'https://evil.example');
  expect((await comeBack(visitor, answer.href)).location).toBe('/dashboard');
});

test('Denying access on Twitch changes nothing', async () => {
  const visitor = new Visitor();
  const { location } = await start(visitor);
  const answer = await decide(location ?? '', newPerson().login, 'deny');
  expect(await comeBack(visitor, answer)).toMatchObject({
    location: '/auth/signin',
    toast: 'errors.twitch.denied',
  });
});

test('A code that Twitch refuses signs nobody in', async () => {
  const visitor = new Visitor();
  const { location } = await start(visitor);
  const answer = new URL(await decide(location ?? '', newPerson().login));
  answer.searchParams.set('code', 'made-up');
  expect((await comeBack(visitor, answer.href)).toast).toBe('errors.twitch.refused');
});

test('A Helix failure is retried once, and reported and counted if it persists', async () => {
  const person = newPerson();
  const counted = async () =>
    (await twitchErrors.get()).values.find(({ labels }) => labels.code === 'unavailable')?.value ?? 0;
  const before = await counted();
  world.faults.failNext({ answer: 503, path: '/mock/users' });
  expect((await throughTwitch(new Visitor(), person.login)).location).toBe('/dashboard');
  world.faults.failNext({ answer: 'drop', path: '/mock/users', times: 3 });
  expect((await throughTwitch(new Visitor(), person.login)).toast).toBe('errors.twitch.unavailable');
  world.faults.failNext({ answer: 500, path: '/auth/token' });
  expect((await throughTwitch(new Visitor(), person.login)).toast).toBe('errors.twitch.unavailable');
  expect(await counted()).toBe(before + 2);
});

test('Disconnecting asks for confirmation, revokes the token and leaves a password to sign in with', async () => {
  const person = newPerson();
  const { visitor } = await member(signUpForm());
  await throughTwitch(visitor, person.login, '?permissions=streamer');
  const db = await database();
  const [row] = await db.read.select().from(twitchAccounts).where(eq(twitchAccounts.twitchId, person.id));
  const token = vault().open(row?.accessTokenSealed ?? '', `twitch:${person.id}`);
  const asked = await visitor.call(unlinkLoader, '/twitch/unlink', { guard: verified });
  expect(asked.body).toEqual({ name: person.displayName, error: null });
  const answer = await visitor.call(unlinkAction, '/twitch/unlink', { form: {}, guard: verified });
  expect(answer).toMatchObject({ location: '/profile', toast: 'profile.twitch.unlinked' });
  expect((await accountOf(visitor)).twitch).toBeNull();
  expect(world.tokens.findValid(token)).toBeFalsy();
  expect(bot.left).not.toContain(person.id);
});

describe('A user with custom rewards on Twitch', () => {
  async function streamer() {
    const person = newPerson();
    const { visitor } = await member(signUpForm());
    await throughTwitch(visitor, person.login, '?permissions=points');
    const { id: userId } = await accountOf(visitor);
    const steamId = steamIdOf(nextNumber());
    await linkSteam(await database(), { userId, steamId }, Date.now());
    await addPointsRule(await database(), { userId, twitchId: person.id, steamId }, { rewards: 0 });
    return { visitor, twitchId: person.id, login: person.login };
  }
  const disconnect = (visitor: Visitor) =>
    visitor.call(unlinkAction, '/twitch/unlink', { form: {}, guard: verified });

  test('has them switched off by the bot before the token is revoked', async () => {
    const { visitor, twitchId } = await streamer();
    expect((await disconnect(visitor)).toast).toBe('profile.twitch.unlinked');
    expect(bot.left).toContain(twitchId);
    expect((await accountOf(visitor)).twitch).toBeNull();
  });

  test('is asked for channel points when the channel is connected again, since a rule waits for them', async () => {
    const { visitor, login } = await streamer();
    await disconnect(visitor);
    await throughTwitch(visitor, login);
    const { location } = await start(visitor, '?permissions=streamer');
    expect(new URL(location ?? '').searchParams.get('scope')).toBe(streamerScopes.join(' '));
  });

  test('is disconnected even if Twitch does not answer, and told what remains to be done there', async () => {
    const { visitor } = await streamer();
    bot.trouble = { status: 503, code: 'twitchSilent' };
    const answer = await disconnect(visitor);
    expect(answer.message).toMatchObject({ type: 'warning', body: 'profile.twitch.leftBehind' });
    expect((await accountOf(visitor)).twitch).toBeNull();
  });
});

test('A user who signed up with Twitch and has no password cannot disconnect it', async () => {
  const visitor = new Visitor();
  const { login } = newPerson();
  await throughTwitch(visitor, login);
  await throughTwitch(visitor, login, '?from=confirm');
  const asked = await visitor.call(unlinkLoader, '/twitch/unlink', { guard: verified });
  expect(asked.body.error).toBe('errors.account.passwordMissing');
  const answer = await visitor.call(unlinkAction, '/twitch/unlink', { form: {}, guard: verified });
  expect([answer.status, answer.body.error]).toEqual([409, 'errors.account.passwordMissing']);
});

test('Twitch is disconnected even if it fails to revoke the token', async () => {
  const { visitor } = await member();
  await throughTwitch(visitor, newPerson().login);
  world.faults.failNext({ answer: 'drop', path: '/auth/revoke' });
  const answer = await visitor.call(unlinkAction, '/twitch/unlink', { form: {}, guard: verified });
  expect(answer.toast).toBe('profile.twitch.unlinked');
});
