import './support/web.ts';
import { expect, test } from 'vitest';
import { database } from '#app/services/database.server.ts';
import { sessionCookieName } from '#app/services/sign-in/session.server.ts';
import { sessions } from '#db/schema/user.ts';
import { minute } from '#domain/kernel/time.ts';
import { member } from '../support/member.ts';
import { codeOf, turnAppOn } from '../support/with-authenticator.ts';
import { App } from './support/app.ts';
import { holdToken } from './support/people.ts';

const api = '/api/v1';
const password = 'a short sentence';

test('An account with a second factor signs in with a code as well, which works once', async () => {
  const { visitor, email } = await member();
  const { userId, recoveryCodes } = await turnAppOn(visitor);
  const signInWith = async (more: object) => {
    const app = new App();
    const reply = await app.post(`${api}/login`, { json: { email, password, ...more } });
    return { app, reply };
  };
  const without = await signInWith({});
  expect(without.reply).toMatchObject({ status: 403, codes: ['secondFactorNeeded'] });
  expect(without.app.cookie(sessionCookieName())).toBeUndefined();
  expect((await signInWith({ code: '000000' })).reply).toMatchObject({
    status: 422,
    codes: ['secondFactorWrong'],
  });
  const wrongPassword = { password: 'not the password', code: recoveryCodes[0] };
  expect((await signInWith(wrongPassword)).reply.codes).toEqual(['wrongCredentials']);
  const code = await codeOf(userId);
  const entered = await signInWith({ code });
  expect(entered.reply).toMatchObject({ status: 200, body: { data: { id: userId } } });
  expect((await entered.app.get(`${api}/users`)).status).toBe(200);
  expect((await signInWith({ code })).reply.codes).toEqual(['secondFactorWrong']);
  expect((await signInWith({ code: recoveryCodes[0] })).reply.status).toBe(200);
});

test('With a second factor, a session changes password and address only when it was confirmed by it', async () => {
  const { visitor, email } = await member();
  const { recoveryCodes } = await turnAppOn(visitor);
  const app = new App();
  await app.post(`${api}/login`, { json: { email, password, code: recoveryCodes[0] } });
  const db = await database();
  await db.transaction((tx) => tx.update(sessions).set({ confirmedAtMs: Date.now() - 11 * minute }));
  const change = { password: 'another sentence', password_confirmation: 'another sentence' };
  const reply = await app.patch(`${api}/users`, { json: { ...change, current_password: password } });
  expect(reply).toMatchObject({ status: 403, codes: ['identityUnconfirmed'] });
});

test('With a second factor, an API token and the password change neither password nor address', async () => {
  const { visitor } = await member();
  const { userId } = await turnAppOn(visitor);
  const program = await holdToken({ userId });
  const next = { password: 'another sentence', password_confirmation: 'another sentence' };
  for (const change of [next, { email: 'second-factor-next@example.org' }]) {
    const json = { ...change, current_password: password };
    const refused = { status: 403, codes: ['sessionNeeded'] };
    expect(await program.patch(`${api}/users`, { json })).toMatchObject(refused);
  }
});
