import { expect, test } from 'vitest';
import { apiTokens } from '#db/schema/access.ts';
import { sessions, users } from '#db/schema/user.ts';
import { findApiToken } from '#domain/identity/access/find-api-token.ts';
import { issueApiToken } from '#domain/identity/access/issue-api-token.ts';
import { hashPassword } from '#domain/identity/password/hash-password.ts';
import { isPassword } from '#domain/identity/password/password.ts';
import { beginAuthenticator, findSetup } from '#domain/identity/second-factor/begin-authenticator.ts';
import { issueChallenge, takeChallenge } from '#domain/identity/second-factor/passkeys/passkey-challenge.ts';
import { admitBrowser } from '#domain/identity/session/admit-browser.ts';
import { endSession } from '#domain/identity/session/end-session.ts';
import { findSession } from '#domain/identity/session/find-session.ts';
import { listSessions } from '#domain/identity/session/list-sessions.ts';
import { openSession } from '#domain/identity/session/open-session.ts';
import { rotateSession, wasJustRotated } from '#domain/identity/session/rotate-session.ts';
import { signIn } from '#domain/identity/session/sign-in.ts';
import { day, hour, minute } from '#domain/kernel/time.ts';
import { openTestDatabase } from '#tests/support/database.ts';
import { join, mira, noonMs, otto, register } from './people.ts';

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

test('A session is confirmed at first if its user proved who they are, and not if a platform answered for them', async () => {
  await using db = await openTestDatabase();
  const userId = await register(db, mira);
  for (const isProof of [false, true]) {
    const admitted = await admitBrowser(db, { userId, userAgent: 'test', isProof }, noonMs);
    const token = admitted.step === 'done' ? admitted.token : '';
    expect(await findSession(db, { token }, noonMs)).toEqual({ userId, confirmed: isProof });
  }
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
  expect(await findSession(db, { token }, noonMs + 1)).toEqual({ userId, confirmed: true });
  expect(await findSession(db, { token }, noonMs + 29 * day)).toEqual({ userId, confirmed: false });
  expect(await findSession(db, { token }, noonMs + 58 * day)).toEqual({ userId, confirmed: false });
  expect(await findSession(db, { token }, noonMs + 58 * day + 30 * day)).toBeNull();
});

test('A session ends 180 days after its sign-in, however often it is used and gets a new token', async () => {
  await using db = await openTestDatabase();
  const userId = await register(db, mira);
  let { token } = await openSession(db, { userId, userAgent: 'test' }, noonMs);
  for (let days = 20; days < 180; days += 20) {
    const nowMs = noonMs + days * day;
    expect(await findSession(db, { token }, nowMs)).toMatchObject({ userId });
    const rotated = await db.transaction((tx) =>
      rotateSession(tx, { userId, token, isProof: days % 40 === 0 }, nowMs),
    );
    token = rotated.ok ? rotated.token : '';
  }
  expect(await findSession(db, { token }, noonMs + 180 * day - 1)).toMatchObject({ userId });
  expect(await findSession(db, { token }, noonMs + 180 * day)).toBeNull();
  const again = await openSession(db, { userId, userAgent: 'test' }, noonMs + 180 * day);
  expect(await findSession(db, again, noonMs + 209 * day)).toMatchObject({ userId });
});

test('A visit to a session is recorded at most once an hour', async () => {
  await using db = await openTestDatabase();
  const userId = await register(db, mira);
  const { token } = await openSession(db, { userId, userAgent: 'test' }, noonMs);
  const lastSeenAfter = async (ms: number) => {
    await findSession(db, { token }, noonMs + ms);
    const [listed] = await listSessions(db, { userId, currentToken: token }, noonMs + ms);
    return (listed?.lastSeenAtMs ?? 0) - noonMs;
  };
  expect(await lastSeenAfter(hour - 1)).toBe(0);
  expect(await lastSeenAfter(hour)).toBe(hour);
  expect(await lastSeenAfter(hour + 1)).toBe(hour);
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
  const opened = await openSession(db, { userId, userAgent: 'desk' }, noonMs);
  const laterMs = noonMs + 11 * minute;
  const rotate = async (token: string, isProof: boolean, by = userId, nowMs = laterMs) => {
    const rotated = await db.transaction((tx) => rotateSession(tx, { userId: by, token, isProof }, nowMs));
    return rotated.ok ? rotated.token : null;
  };
  const carried = (await rotate(opened.token, false)) ?? '';
  expect(await findSession(db, opened, laterMs)).toBeNull();
  expect(await findSession(db, { token: carried }, laterMs)).toMatchObject({ confirmed: false });
  const proven = (await rotate(carried, true)) ?? '';
  expect(await findSession(db, { token: proven }, laterMs)).toMatchObject({ confirmed: true });
  for (const ended of [opened.token, carried, '']) expect(await rotate(ended, true)).toBeNull();
  expect(await rotate(proven, true, await register(db, otto))).toBeNull();
  expect(await rotate(proven, true, userId, laterMs + 31 * day)).toBeNull();
  const listed = await listSessions(db, { userId, currentToken: proven }, laterMs);
  expect(listed).toMatchObject([{ userAgent: 'desk', createdAtMs: noonMs, current: true }]);
});

test('A token that was replaced is known for ten seconds, and one that ended is not', async () => {
  await using db = await openTestDatabase();
  const userId = await register(db, mira);
  const old = await openSession(db, { userId, userAgent: 'test' }, noonMs);
  const rotated = await db.transaction((tx) =>
    rotateSession(tx, { userId, token: old.token, isProof: true }, noonMs + 1),
  );
  const token = rotated.ok ? rotated.token : '';
  const knows = (one: string, ms: number) => wasJustRotated(db.read, { token: one }, noonMs + ms);
  expect(await knows(old.token, 10_000)).toBe(true);
  expect(await knows(old.token, 10_001)).toBe(false);
  expect(await knows(token, 1)).toBe(false);
  await endSession(db, { token });
  expect(await knows(old.token, 2)).toBe(false);
});

test('What a browser has begun goes on with its new token, and not with another session', async () => {
  await using db = await openTestDatabase();
  const userId = await register(db, mira);
  const { token: old } = await openSession(db, { userId, userAgent: 'test' }, noonMs);
  await beginAuthenticator(db, { userId, currentToken: old }, noonMs);
  const challenge = await issueChallenge(db, { userId, token: old, purpose: 'register' }, noonMs);
  const setup = await findSetup(db.read, { userId, currentToken: old }, noonMs);
  const rotated = await db.transaction((tx) =>
    rotateSession(tx, { userId, token: old, isProof: true }, noonMs),
  );
  const token = rotated.ok ? rotated.token : '';
  expect(setup).not.toBeNull();
  expect(await findSetup(db.read, { userId, currentToken: token }, noonMs)).toEqual(setup);
  expect(await findSetup(db.read, { userId, currentToken: old }, noonMs)).toBeNull();
  expect(await takeChallenge(db, { userId, token: old, purpose: 'register' }, noonMs)).toBeNull();
  expect(await takeChallenge(db, { userId, token, purpose: 'register' }, noonMs)).toBe(challenge);
});

test('A use that cannot be recorded, as on a full disk, signs nobody out, and the next one is recorded', async () => {
  await using db = await openTestDatabase();
  const full = { ...db, transaction: () => Promise.reject(new Error('database or disk is full')) };
  const userId = await join(db, mira);
  const { token } = await openSession(db, { userId, userAgent: 'test' }, noonMs);
  const issued = await issueApiToken(db, { userId, name: 'Overlay' }, noonMs);
  const apiToken = issued.ok ? issued.token : '';
  const laterMs = noonMs + 3 * hour;
  expect(await findSession(full, { token }, laterMs)).toMatchObject({ userId });
  expect(await findApiToken(full, { token: apiToken }, laterMs)).toMatchObject({ userId });
  const recorded = async () => [
    (await db.read.select({ atMs: sessions.lastSeenAtMs }).from(sessions))[0]?.atMs,
    (await db.read.select({ atMs: apiTokens.lastUsedAtMs }).from(apiTokens))[0]?.atMs,
  ];
  expect(await recorded()).toEqual([noonMs, null]);
  await findSession(db, { token }, laterMs + 1);
  await findApiToken(db, { token: apiToken }, laterMs + 2);
  expect(await recorded()).toEqual([laterMs + 1, laterMs + 2]);
});
