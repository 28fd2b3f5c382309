import { expect, test } from 'vitest';
import { sessions, users } from '#db/schema/user.ts';
import { hashPassword } from '#domain/account/password/hash-password.ts';
import { isPassword } from '#domain/account/password/password.ts';
import { endSession } from '#domain/account/session/end-session.ts';
import { findSession } from '#domain/account/session/find-session.ts';
import { listSessions } from '#domain/account/session/list-sessions.ts';
import { openSession, rotateSession } from '#domain/account/session/open-session.ts';
import { signIn } from '#domain/account/session/sign-in.ts';
import { day, hour, minute } from '#domain/time.ts';
import { openTestDatabase } from '#tests/support/database.ts';
import { mira, noonMs, otto, register } from './people.ts';

test('A password is stored as argon2id with 19 MiB and two passes', async () => {
  const passwordHash = await hashPassword('a short sentence');
  expect(passwordHash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  expect(await isPassword('a short sentence', passwordHash)).toBe(true);
  expect(await isPassword('a short sentence.', passwordHash)).toBe(false);
  expect(await isPassword('a short sentence', null)).toBe(false);
});

test('Composed and decomposed characters in a password are equal', async () => {
  const passwordHash = await hashPassword('caf\u00e9 au lait');
  expect(await isPassword('cafe\u0301 au lait', passwordHash)).toBe(true);
});

test('Signing in needs the right address and password, and reveals nothing else', async () => {
  await using db = await openTestDatabase();
  const passwordHash = await hashPassword('a short sentence');
  const userId = await register(db, { ...mira, passwordHash });
  const wrong = { ok: false, code: 'wrongCredentials' };
  const asks = (email: string, password: string) =>
    signIn(db, { email, password, userAgent: 'test' }, noonMs);
  const entered = await asks('Mira@Example.org', 'a short sentence');
  expect(entered).toMatchObject({ ok: true, userId });
  expect(
    await findSession(db, { token: entered.ok && entered.step === 'done' ? entered.token : '' }, noonMs),
  ).toMatchObject({ userId });
  expect(await asks(mira.email, 'another sentence')).toEqual(wrong);
  expect(await asks('nobody@example.org', 'a short sentence')).toEqual(wrong);
});

test('A password replaced while it is being checked signs nobody in', async () => {
  await using db = await openTestDatabase();
  const userId = await register(db, { ...mira, passwordHash: await hashPassword('a short sentence') });
  const { token: currentToken } = await openSession(db, { userId, userAgent: 'test' }, noonMs);
  const replaced = await hashPassword('another sentence');
  /** A database in which the owner's change comes between reading the account and writing the session. */
  const late = {
    ...db,
    async transaction(...given: Parameters<typeof db.transaction>) {
      await db.transaction((tx) => tx.update(users).set({ passwordHash: replaced }));
      return db.transaction(...given);
    },
  } as typeof db;
  const stale = { email: mira.email, password: 'a short sentence', userAgent: 'test' };
  expect(await signIn(late, stale, noonMs)).toEqual({ ok: false, code: 'wrongCredentials' });
  expect(await listSessions(db, { userId, currentToken: currentToken }, noonMs)).toHaveLength(1);
});

test('A session is found by its token until 30 days pass without a visit', async () => {
  await using db = await openTestDatabase();
  const userId = await register(db, mira);
  const { token } = await openSession(db, { userId, userAgent: 'test' }, noonMs);
  expect(await findSession(db, { token }, noonMs + 1)).toEqual({ userId, renewed: false, confirmed: true });
  expect(await findSession(db, { token }, noonMs + 29 * day)).toEqual({
    userId,
    renewed: true,
    confirmed: false,
  });
  expect(await findSession(db, { token }, noonMs + 58 * day)).toEqual({
    userId,
    renewed: true,
    confirmed: false,
  });
  expect(await findSession(db, { token }, noonMs + 58 * day + 30 * day)).toBeNull();
});

test('A session is updated at most once an hour', async () => {
  await using db = await openTestDatabase();
  const userId = await register(db, mira);
  const { token } = await openSession(db, { userId, userAgent: 'test' }, noonMs);
  expect((await findSession(db, { token }, noonMs + hour - 1))?.renewed).toBe(false);
  expect((await findSession(db, { token }, noonMs + hour))?.renewed).toBe(true);
  expect((await findSession(db, { token }, noonMs + hour + 1))?.renewed).toBe(false);
});

test('The database contains only the hash of a session token', async () => {
  await using db = await openTestDatabase();
  const userId = await register(db, mira);
  const { token } = await openSession(db, { userId, userAgent: 'test' }, noonMs);
  const [row] = await db.read.select().from(sessions);
  expect(JSON.stringify(row)).not.toContain(token);
  expect(await findSession(db, { token: row?.tokenHash ?? '' }, noonMs)).toBeNull();
});

test('Signing in ends the browser’s previous session', async () => {
  await using db = await openTestDatabase();
  const planted = await openSession(db, { userId: await register(db, otto), userAgent: 'test' }, noonMs);
  const userId = await register(db, mira);
  const own = await openSession(db, { userId, userAgent: 'test', replaces: planted.token }, noonMs);
  expect(await findSession(db, { token: planted.token }, noonMs)).toBeNull();
  expect(await findSession(db, { token: own.token }, noonMs)).toMatchObject({ userId });
});

test('Signing out ends one session and leaves the others', async () => {
  await using db = await openTestDatabase();
  const userId = await register(db, mira);
  const phone = await openSession(db, { userId, userAgent: 'phone' }, noonMs);
  const desk = await openSession(db, { userId, userAgent: 'desk' }, noonMs);
  await endSession(db, { token: phone.token });
  await endSession(db, { token: phone.token });
  expect(await findSession(db, { token: phone.token }, noonMs)).toBeNull();
  expect(await findSession(db, { token: desk.token }, noonMs)).not.toBeNull();
});

test('A session gets a new token only while it lives, and is confirmed by it only where it proves who it is', async () => {
  await using db = await openTestDatabase();
  const userId = await register(db, mira);
  const browser = { userId, userAgent: 'desk' };
  const opened = await openSession(db, browser, noonMs);
  const laterMs = noonMs + 11 * minute;
  const rotate = (token: string, isProof: boolean) =>
    rotateSession(db, { ...browser, token, isProof }, laterMs);
  const carried = await rotate(opened.token, false);
  expect(await findSession(db, opened, laterMs)).toBeNull();
  expect(await findSession(db, { token: carried?.token ?? '' }, laterMs)).toMatchObject({ confirmed: false });
  const proven = await rotate(carried?.token ?? '', true);
  expect(await findSession(db, { token: proven?.token ?? '' }, laterMs)).toMatchObject({ confirmed: true });
  for (const ended of [opened.token, carried?.token ?? '', '']) expect(await rotate(ended, true)).toBeNull();
  const other = { ...browser, userId: await register(db, otto), token: proven?.token ?? '', isProof: true };
  expect(await rotateSession(db, other, laterMs)).toBeNull();
  expect(await rotateSession(db, { ...other, userId }, laterMs + 31 * day)).toBeNull();
});
