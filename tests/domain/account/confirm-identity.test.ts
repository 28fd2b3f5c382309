import { expect, test } from 'vitest';
import { hashPassword } from '#domain/identity/password/hash-password.ts';
import {
  confirmByPassword,
  confirmByTwitch,
  isConfirmed,
} from '#domain/identity/session/confirm-identity.ts';
import { findSession } from '#domain/identity/session/find-session.ts';
import { openSession } from '#domain/identity/session/open-session.ts';
import { day, hour, minute } from '#domain/kernel/time.ts';
import { openTestDatabase } from '#tests/support/database.ts';
import { addPerson } from '#tests/support/fixtures.ts';
import { mira, noonMs, otto, register } from './people.ts';

const laterMs = noonMs + hour;

test.each([
  ['never', null, false],
  ['now', noonMs, true],
  ['almost ten minutes ago', noonMs - 10 * minute + 1, true],
  ['ten minutes ago', noonMs - 10 * minute, false],
  ['at a time that has not come', noonMs + 1, false],
])('An identity that was confirmed %s counts as it should', (_, confirmedAtMs, expected) => {
  expect(isConfirmed(confirmedAtMs, noonMs)).toBe(expected);
});

test('The password confirms who uses one session, and no other session', async () => {
  await using db = await openTestDatabase();
  const userId = await register(db, { ...mira, passwordHash: await hashPassword('a short sentence') });
  const stranger = await register(db, otto);
  const { token } = await openSession(db, { userId, userAgent: 'desk' }, noonMs);
  const phone = await openSession(db, { userId, userAgent: 'phone' }, noonMs);
  const confirm = (more: object = {}, nowMs = laterMs) =>
    confirmByPassword(db, { userId, token, password: 'a short sentence', ...more }, nowMs);
  const isNow = async (of: string) => (await findSession(db, { token: of }, laterMs))?.confirmed;
  expect(await isNow(token)).toBe(false);
  expect(await confirm({ password: 'another sentence' })).toEqual({ ok: false, code: 'passwordWrong' });
  expect(await confirm({ token: 'unknown' })).toEqual({ ok: false, code: 'sessionUnknown' });
  expect(await confirm({ userId: 'nobody' })).toEqual({ ok: false, code: 'passwordMissing' });
  const foreign = await openSession(db, { userId: stranger, userAgent: 'thief' }, noonMs);
  expect(await confirm({ token: foreign.token })).toEqual({ ok: false, code: 'sessionUnknown' });
  expect(await confirm({}, noonMs + 31 * day)).toEqual({ ok: false, code: 'sessionUnknown' });
  expect([await isNow(token), await isNow(phone.token)]).toEqual([false, false]);
  const confirmed = await confirm();
  const fresh = confirmed.ok ? confirmed.token : '';
  // The old token is worthless, so that no copy of it is confirmed as well.
  expect([await isNow(fresh), await isNow(token)]).toEqual([true, undefined]);
  expect([await isNow(phone.token), await isNow(foreign.token)]).toEqual([false, false]);
  expect(await confirm()).toEqual({ ok: false, code: 'sessionUnknown' });
});

test('The linked Twitch account confirms too, and another one proves nothing', async () => {
  await using db = await openTestDatabase();
  const [person, other] = [await addPerson(db), await addPerson(db)];
  const { token } = await openSession(db, { userId: person.userId, userAgent: 'desk' }, noonMs);
  const confirm = (twitchId: string) =>
    confirmByTwitch(db, { userId: person.userId, token, twitchId }, laterMs);
  const wrong = { ok: false, code: 'otherTwitchLinked' };
  expect(await confirm(other.twitchId)).toEqual(wrong);
  expect(await confirm('unknown')).toEqual(wrong);
  expect(await findSession(db, { token }, laterMs)).toMatchObject({ confirmed: false });
  const confirmed = await confirm(person.twitchId);
  const fresh = confirmed.ok ? confirmed.token : '';
  expect(await findSession(db, { token: fresh }, laterMs)).toMatchObject({ confirmed: true });
  expect(await findSession(db, { token }, laterMs)).toBeNull();
});

test('Who has no password cannot confirm by one', async () => {
  await using db = await openTestDatabase();
  const { userId } = await addPerson(db);
  const { token } = await openSession(db, { userId, userAgent: 'desk' }, noonMs);
  expect(await confirmByPassword(db, { userId, token, password: '' }, laterMs)).toEqual({
    ok: false,
    code: 'passwordMissing',
  });
});
