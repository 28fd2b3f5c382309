import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { database } from '#app/services/database.server.ts';
import { sessions, users } from '#db/schema/user.ts';
import { minute, second } from '#domain/kernel/time.ts';
import { startFakeTwitch } from '../support/fake-twitch.ts';
import { ownerOfAll, password } from '../support/owner.ts';
import { setWeb } from '../support/web.ts';

const twitch = await startFakeTwitch();
await setWeb(twitch.environment);

// Some modules read the configuration when they are loaded, so they are imported after it is set.
const { App } = await import('./support/app.ts');
const { holdToken, signIn, viewer } = await import('./support/people.ts');

const api = '/api/v1';

/** Somebody with a password, whose session was confirmed too long ago. */
async function stale() {
  const { userId } = await ownerOfAll();
  const db = await database();
  const app = await signIn({ userId });
  await db.transaction(async (tx) => {
    await tx
      .update(sessions)
      .set({ confirmedAtMs: Date.now() - 11 * minute })
      .where(eq(sessions.userId, userId));
  });
  return { app, db, userId };
}

test.each(['logout_twitch', 'logout_steam'])(
  'A client of the specification is told how to confirm, does it, and %s answers',
  async (call) => {
    const { app } = await stale();
    const refused = await app.post(`${api}/users/${call}`);
    expect(refused).toMatchObject({ status: 403, codes: ['identityUnconfirmed'] });
    const { confirm } = refused.body.errors[0].meta;
    expect(confirm).toEqual({
      method: 'POST',
      path: `${api}/users/confirm`,
      fields: ['password'],
      page: '/profile/confirm',
    });
    expect((await app.post(confirm.path, { json: { password } })).status).toBe(200);
    expect((await app.post(`${api}/users/${call}`)).status).toBe(200);
  },
);

test('Confirming gives the session a new cookie', async () => {
  const { app } = await stale();
  const before = app.cookies();
  await app.post(`${api}/users/confirm`, { json: { password } });
  const session = (cookies: string) => /keepsake_session=([^;]*)/.exec(cookies)?.[1];
  expect(session(app.cookies())).not.toBe(session(before));
  expect((await app.post(`${api}/users/logout_steam`)).status).toBe(200);
});

test('A call with the cookie before is told for ten seconds that there is a new one, and does nothing', async () => {
  const { app, db, userId } = await stale();
  const other = new App();
  for (const [name, value] of app.jar()) other.plant(name, value);
  await app.post(`${api}/users/confirm`, { json: { password } });
  const calls = [
    () => other.get(`${api}/users`),
    () => other.post(`${api}/users/logout_steam`),
    () => other.post(`${api}/register/twitch`, { json: {} }),
  ];
  for (const call of calls) expect(await call()).toMatchObject({ status: 401, codes: ['sessionReplaced'] });
  expect((await other.get(`${api}/plans`)).status).toBe(200);
  await db.transaction(async (tx) => {
    const longAgo = { rotatedAtMs: Date.now() - 11 * second };
    await tx.update(sessions).set(longAgo).where(eq(sessions.userId, userId));
  });
  expect((await other.get(`${api}/users`)).codes).toEqual(['unauthorized']);
  expect((await app.post(`${api}/users/logout_steam`)).status).toBe(200);
});

test('Somebody whose cookie was replaced can sign in anew at once', async () => {
  const { app } = await stale();
  const other = new App();
  for (const [name, value] of app.jar()) other.plant(name, value);
  const { email } = (await app.get(`${api}/users`)).body.data.attributes;
  await app.post(`${api}/users/confirm`, { json: { password } });
  expect((await other.post(`${api}/login`, { json: { email, password } })).status).toBe(200);
  expect((await other.get(`${api}/users`)).status).toBe(200);
});

test('A program with a token is sent to sign in, and its session may', async () => {
  const person = await stale();
  const program = await holdToken(person);
  const refused = await program.post(`${api}/users/logout_steam`);
  const { confirm } = refused.body.errors[0].meta;
  expect(confirm).toMatchObject({ path: `${api}/login`, fields: ['email', 'password'] });
  expect((await program.post(`${api}/users/confirm`, { json: { password } })).codes).toEqual([
    'sessionNeeded',
  ]);
  const { email } = (await program.get(`${api}/users`)).body.data.attributes;
  const session = new App();
  expect((await session.post(confirm.path, { json: { email, password } })).status).toBe(200);
  expect((await session.post(`${api}/users/logout_steam`)).status).toBe(200);
});

test('A wrong password confirms nothing, and points to its field', async () => {
  const { app } = await stale();
  const wrong = await app.post(`${api}/users/confirm`, { json: { password: 'another sentence' } });
  expect(wrong).toMatchObject({ status: 422, codes: ['passwordWrong'] });
  expect(wrong.body.errors[0].source).toEqual({ pointer: '/password' });
  expect((await app.post(`${api}/users/logout_steam`)).codes).toEqual(['identityUnconfirmed']);
});

test('With a second factor the password is not enough', async () => {
  const { app, db, userId } = await stale();
  await db.transaction(async (tx) => {
    await tx.update(users).set({ secondFactorAtMs: Date.now() }).where(eq(users.id, userId));
  });
  const refused = await app.post(`${api}/users/logout_steam`);
  expect(refused.body.errors[0].meta.confirm.fields).toEqual(['code']);
  expect((await app.post(`${api}/users/confirm`, { json: { password } })).codes).toEqual([
    'secondFactorNeeded',
  ]);
  expect((await app.post(`${api}/users/confirm`, { json: { code: '123456' } })).codes).toEqual([
    'secondFactorWrong',
  ]);
});

test('A language set by the API counts in its answers, and in the browser of the session', async () => {
  const { app, userId } = await viewer();
  const changed = await app.patch(`${api}/users`, { json: { settings: { language: 'ru', theme: 'dark' } } });
  expect(changed.headers.get('Content-Language')).toBe('ru');
  expect(changed.headers.getSetCookie().join()).toMatch(/keepsake_language=.*keepsake_theme=/);
  const missing = `${api}/rules/nonsense`;
  expect((await app.get(missing)).body.errors[0].title).toBe('Не найдено');
  const program = await holdToken({ userId });
  expect((await program.get(missing)).body.errors[0].title).toBe('Не найдено');
  await program.patch(`${api}/users`, { json: { settings: { language: 'en' } } });
  const english = await program.get(missing, { headers: { 'Accept-Language': 'ru' } });
  expect(english.body.errors[0].title).toBe('Not found');
});
