import { afterAll, expect, test } from 'vitest';
import { action as passwordAction } from '#app/routes/account/password.tsx';
import { action as resetAction } from '#app/routes/auth/reset-password.tsx';
import { action as signInAction } from '#app/routes/auth/signin.tsx';
import { action as signUpAction } from '#app/routes/auth/signup.tsx';
import { loader as startTwitch } from '#app/routes/auth/twitch.ts';
import { loader as twitchCallback } from '#app/routes/auth/twitch-callback.ts';
import { database } from '#app/services/database.server.ts';
import { longestWait } from '#app/services/limits/rate-limits.server.ts';
import { requestPasswordReset } from '#domain/identity/password/request-password-reset.ts';
import { nextNumber } from '#tests/support/fixtures.ts';
import { decideElsewhere } from '../support/decide-elsewhere.ts';
import { startFakeBot } from '../support/fake-bot.ts';
import { startFakeTwitch } from '../support/fake-twitch.ts';
import { mailedTokens, member, newcomer, signUpForm } from '../support/member.ts';
import { Visitor } from '../support/visitor.ts';
import { setWeb } from '../support/web.ts';

const twitch = await startFakeTwitch();
const bot = await startFakeBot();
await setWeb({ BOT_URL: bot.url, ...twitch.environment });
afterAll(() => bot.stop());

const { password } = signUpForm();

/** Uses up all attempts of this address by guessing, so that a stranger's requests from there are refused. */
async function besiege({ address }: Visitor): Promise<void> {
  for (let guessed = 0; guessed < 60; guessed++) await longestWait({ signInByAddress: address });
}
const enter = async (by: Visitor, email: string, secret = password) =>
  (await by.call(signInAction, '/auth/signin', { form: { email, password: secret } })).status;

async function throughTwitch(visitor: Visitor, login: string) {
  const { location } = await visitor.call(startTwitch, '/auth/twitch');
  return visitor.call(twitchCallback, await decideElsewhere(location ?? '', { decision: 'approve', login }));
}

/** Sets a new password by a mailed link in this browser. */
async function reset(visitor: Visitor, email: string, secret: string) {
  await requestPasswordReset(await database(), { email }, Date.now());
  const token = (await mailedTokens(email)).at(-1) ?? '';
  const form = { email, token, password: secret, password_confirmation: secret };
  expect((await visitor.call(resetAction, '/auth/reset-password', { form })).status).toBe(302);
}

test('The browser in which somebody signed up has attempts of its own at the first sign-in already', async () => {
  const { visitor, email } = await newcomer();
  await besiege(visitor);
  expect(await enter(new Visitor(visitor.address), email)).toBe(429);
  expect(await enter(visitor, email)).toBe(302);
});

test('So has the browser of a sign-up that was sent twice', async () => {
  const form = signUpForm();
  await newcomer(form);
  const visitor = new Visitor();
  expect((await visitor.call(signUpAction, '/auth/signup', { form })).location).toBe('/email/unverified');
  await besiege(visitor);
  expect(await enter(visitor, form.email)).toBe(302);
});

test('So has a browser that signed in with Twitch', async () => {
  const { visitor: first, email } = await member();
  const { login } = twitch.world.addUser({ login: `demo_known_${nextNumber()}` });
  await throughTwitch(first, login);
  const visitor = new Visitor();
  expect((await throughTwitch(visitor, login)).location).toBe('/dashboard');
  await besiege(visitor);
  expect(await enter(new Visitor(visitor.address), email)).toBe(429);
  expect(await enter(visitor, email)).toBe(302);
});

test('So has the browser in which somebody set a new password by the mailed link', async () => {
  const { email } = await member();
  const visitor = new Visitor();
  await besiege(visitor);
  await reset(visitor, email, 'another sentence');
  expect(await enter(visitor, email, 'another sentence')).toBe(302);
});

test('So has the browser in which somebody changed their password', async () => {
  const { visitor, email } = await member();
  await besiege(visitor);
  const form = { current: password, next: 'another sentence' };
  expect((await visitor.call(passwordAction, '/profile/password', { form })).location).toBe('/profile');
  expect(await enter(new Visitor(visitor.address), email, 'another sentence')).toBe(429);
  expect(await enter(visitor, email, 'another sentence')).toBe(302);
});

test('A browser that signed in with an earlier password is a stranger’s', async () => {
  const { visitor: thief, email } = await member();
  await besiege(thief);
  expect(await enter(thief, email)).toBe(302);
  await reset(new Visitor(), email, 'another sentence');
  expect(await enter(thief, email)).toBe(429);
});

test('A browser that signed up with somebody else’s address is a stranger’s once its owner came', async () => {
  const { login, email } = twitch.world.addUser({ login: `demo_squatted_${nextNumber()}` });
  const { visitor: squatter } = await newcomer(signUpForm({ email }));
  await besiege(squatter);
  expect(await enter(squatter, email)).toBe(302);
  await throughTwitch(new Visitor(), login);
  expect(await enter(squatter, email)).toBe(429);
});
