import { expect, test } from 'vitest';
import { users } from '#db/schema/user.ts';
import { changePassword } from '#domain/account/change-password.ts';
import { enterByTwitch } from '#domain/account/enter-by-twitch.ts';
import { findSession } from '#domain/account/find-session.ts';
import { getReadiness } from '#domain/account/get-readiness.ts';
import { openSession } from '#domain/account/open-session.ts';
import { hashPassword } from '#domain/account/password.ts';
import { signIn } from '#domain/account/sign-in.ts';
import { openTestDatabase } from '#tests/support/database.ts';
import { addBot, addRule, addStreamer, asset, deposit } from '#tests/support/fixtures.ts';
import { mira, miraOnTwitch, noonMs, register, vault, viewerGrant } from './people.ts';

const byTwitch = { vault, person: miraOnTwitch, grant: viewerGrant, locale: 'en' } as const;

test('A new password needs the current one, and signs every other browser out', async () => {
  await using db = await openTestDatabase();
  const userId = await register(db, { ...mira, passwordHash: await hashPassword('a short sentence') });
  const own = await openSession(db, { userId, userAgent: 'own' }, noonMs);
  const other = await openSession(db, { userId, userAgent: 'other' }, noonMs);
  const change = { userId, next: 'a longer sentence', keepToken: own.token };
  expect(await changePassword(db, { ...change, current: 'not it' })).toEqual({
    ok: false,
    code: 'passwordWrong',
  });
  expect(await changePassword(db, { ...change, current: 'a short sentence' })).toEqual({ ok: true });
  expect(await findSession(db, { token: own.token }, noonMs)).not.toBeNull();
  expect(await findSession(db, { token: other.token }, noonMs)).toBeNull();
  expect((await signIn(db, { email: mira.email, password: 'a longer sentence' })).ok).toBe(true);
  expect((await signIn(db, { email: mira.email, password: 'a short sentence' })).ok).toBe(false);
});

test('Who came by Twitch sets a first password without an old one; of two at once one stands', async () => {
  await using db = await openTestDatabase();
  const entered = await enterByTwitch(db, byTwitch, noonMs);
  if (!entered.ok) throw new Error(entered.code);
  const change = { userId: entered.userId, current: '', keepToken: '' };
  const outcomes = await Promise.all(
    ['first sentence', 'second sentence'].map((next) => changePassword(db, { ...change, next })),
  );
  expect(outcomes.filter((outcome) => outcome.ok)).toHaveLength(1);
});

test('Two answers of Twitch at the same moment enter one account', async () => {
  await using db = await openTestDatabase();
  const outcomes = await Promise.all([1, 2, 3].map(() => enterByTwitch(db, byTwitch, noonMs)));
  expect(new Set(outcomes.map((outcome) => outcome.ok && outcome.userId)).size).toBe(1);
  expect(outcomes.filter((outcome) => outcome.ok && outcome.registered)).toHaveLength(1);
  expect(await db.read.select().from(users)).toHaveLength(1);
});

test('The last steps of readiness are a first item and a first rule', async () => {
  await using db = await openTestDatabase();
  const streamer = await addStreamer(db);
  expect(await getReadiness(db, streamer)).toEqual({ hasItem: false, hasRule: false });
  await addRule(db, streamer, { rewards: 0 });
  expect(await getReadiness(db, streamer)).toEqual({ hasItem: false, hasRule: true });
  await addBot(db);
  await deposit(db, streamer, [asset()]);
  expect(await getReadiness(db, streamer)).toEqual({ hasItem: true, hasRule: true });
});
