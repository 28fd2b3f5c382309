import { afterAll, expect, test } from 'vitest';
import { verified } from '#app/middleware/guards.server.ts';
import { loader as profileLoader } from '#app/routes/account/profile.tsx';
import { action as signInAction } from '#app/routes/auth/signin.tsx';
import { action, loader } from '#app/routes/settings/delete-account.tsx';
import { database } from '#app/services/database.server.ts';
import { sessionCookieName } from '#app/services/sign-in/session.server.ts';
import { vault } from '#app/services/vault.server.ts';
import { linkSteam } from '#domain/account/steam/link-steam.ts';
import { setTradeLink } from '#domain/account/steam/set-trade-link.ts';
import { linkTwitch } from '#domain/account/twitch/link-twitch.ts';
import { formatTradeLink } from '#domain/identity/steam/trade-link.ts';
import { streamerScopes } from '#domain/identity/twitch/twitch-scopes.ts';
import { newId } from '#domain/kernel/id.ts';
import { requestDeposit } from '#domain/transfer/request-deposit.ts';
import { addBot, asset, nextNumber, steamIdOf } from '#tests/support/fixtures.ts';
import { addPointsRule } from '#tests/support/redemptions.ts';
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
  ...twitch.environment,
});

afterAll(() => bot.stop());

const guard = verified;
const { password } = signUpForm();
const remove = (visitor: Visitor, current: string) =>
  visitor.call(action, '/settings/delete', { form: { current }, guard });
const accountOf = async (visitor: Visitor) =>
  (await visitor.call(profileLoader, '/profile', { guard })).body?.account;

test('The page lists what will be deleted, and a wrong password changes nothing', async () => {
  const { visitor, email } = await member();
  const page = await visitor.call(loader, '/settings/delete', { guard });
  expect(page.body).toMatchObject({
    email,
    hasPassword: true,
    sessions: 1,
    leaving: { rules: 0, tokens: 0 },
  });
  const refused = await remove(visitor, 'another sentence');
  expect(refused.status).toBe(400);
  expect(refused.body.result).toMatchObject({ error: { current: ['errors.account.passwordWrong'] } });
  expect(JSON.stringify(refused.body)).not.toContain('another sentence');
  expect(await accountOf(visitor)).toMatchObject({ email });
});

/** Links a new Twitch account with a valid grant of these permissions. */
async function connect(visitor: Visitor, scopes: readonly string[] = ['user:read:email']) {
  const person = world.addUser({ login: `demo_leaver_${newId(Date.now()).slice(-6)}` });
  const { accessToken } = world.tokens.issue({ clientId: 'demo-client', userId: person.id, scopes });
  const { id: userId, email } = await accountOf(visitor);
  await linkTwitch(
    await database(),
    {
      vault: vault(),
      userId,
      person: { twitchId: person.id, login: person.login, displayName: person.login, pictureUrl: '', email },
      grant: {
        accessToken,
        refreshToken: 'refresh',
        scopes,
        obtainedAtMs: Date.now(),
        lifetimeSeconds: 14_000,
      },
    },
    Date.now(),
  );
  return { userId, twitchId: person.id, accessToken };
}

test('The right password deletes the account, signs out everywhere and revokes the Twitch grant', async () => {
  const { visitor, email } = await member();
  const other = new Visitor();
  await other.call(signInAction, '/auth/signin', { form: { email, password } });
  const { accessToken } = await connect(visitor);
  const answer = await remove(visitor, password);
  expect(answer).toMatchObject({ location: '/', toast: 'settings.delete.done' });
  expect(visitor.cookieNames()).not.toContain(sessionCookieName());
  expect((await other.call(profileLoader, '/profile', { guard })).location).toBe('/auth/signup');
  expect(world.tokens.findValid(accessToken)).toBeFalsy();
  const back = await new Visitor().call(signInAction, '/auth/signin', { form: { email, password } });
  expect(back.status).toBe(400);
});

test('Custom rewards are switched off before the grant is revoked, but not after a wrong password', async () => {
  const { visitor } = await member();
  const { userId, twitchId } = await connect(visitor, streamerScopes);
  const steamId = steamIdOf(nextNumber());
  await linkSteam(await database(), { userId, steamId }, Date.now());
  await addPointsRule(await database(), { userId, twitchId, steamId }, { rewards: 0 });
  expect((await visitor.call(loader, '/settings/delete', { guard })).body).toMatchObject({ hasTwitch: true });
  expect((await remove(visitor, 'another sentence')).status).toBe(400);
  expect(bot.left).toEqual([]);
  bot.trouble = { status: 503, code: 'twitchSilent' };
  const { message } = await remove(visitor, password);
  expect(bot.left).toEqual([twitchId]);
  expect(message).toMatchObject({
    type: 'warning',
    title: 'settings.delete.done',
    body: 'profile.twitch.leftBehind',
  });
});

test('A running trade offer is shown on the page and prevents deletion', async () => {
  const { visitor } = await member();
  const { id: userId } = await accountOf(visitor);
  const db = await database();
  await addBot(db);
  const steamId = '76561197960300000';
  await linkSteam(db, { userId, steamId }, Date.now());
  const tradeLink = formatTradeLink({ steamId, token: 'abcdefgh' });
  await setTradeLink(db, { userId, tradeLink }, Date.now());
  const request = { requestId: newId(Date.now()), userId, assets: [asset()] };
  expect(await requestDeposit(db, request, Date.now(), Date.now())).toMatchObject({ ok: true });
  const page = await visitor.call(loader, '/settings/delete', { guard });
  expect(page.body.leaving).toMatchObject({ openTransfers: 1, heldItems: 0 });
  const refused = await remove(visitor, password);
  expect(refused.status).toBe(409);
  expect(refused.body.result.error).toEqual({ '': ['errors.account.transfersLive'] });
});

test('Guessing the password here is limited as for signing in', async () => {
  const { visitor } = await member();
  const statuses: number[] = [];
  for (let attempts = 0; attempts < 11; attempts++)
    statuses.push((await remove(visitor, 'a wrong guess')).status);
  expect(statuses.slice(0, 10)).toEqual(Array(10).fill(400));
  expect(statuses[10]).toBe(429);
});
