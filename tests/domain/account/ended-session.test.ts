import { expect, test } from 'vitest';
import { askForNewPasskey } from '#domain/account/second-factor/passkeys/ask-for-passkey.ts';
import { registerPasskey } from '#domain/account/second-factor/passkeys/register-passkey.ts';
import { renewRecoveryCodes } from '#domain/account/second-factor/renew-recovery-codes.ts';
import { findSession } from '#domain/account/session/find-session.ts';
import { openSession } from '#domain/account/session/open-session.ts';
import { day } from '#domain/time.ts';
import { openTestDatabase, type TestDatabase } from '#tests/support/database.ts';
import { PasskeyDevice } from '#tests/support/passkey-device.ts';
import { join, mira, noonMs } from './people.ts';

const site = { origin: 'http://localhost:3000', rpId: 'localhost', name: 'Keepsake' };
const sessionUnknown = { ok: false, code: 'sessionUnknown' };

/** A browser of this user that was asked for a new passkey, and what it will send. */
async function asked(db: TestDatabase, userId: string) {
  const { token } = await openSession(db, { userId, userAgent: 'test' }, noonMs);
  const options = await askForNewPasskey(db, { userId, token, email: mira.email, site }, noonMs);
  const response = new PasskeyDevice().register(options);
  return { userId, token, currentToken: token, name: 'Phone', response, site };
}

test('A browser that a first passkey signed out adds none, and gets no recovery codes', async () => {
  await using db = await openTestDatabase();
  const userId = await join(db, mira);
  const [owner, thief] = [await asked(db, userId), await asked(db, userId)];
  expect(await registerPasskey(db, owner, noonMs)).toMatchObject({ ok: true });
  expect(await registerPasskey(db, thief, noonMs)).toEqual(sessionUnknown);
  expect(await renewRecoveryCodes(db, thief, noonMs)).toEqual(sessionUnknown);
  expect(await renewRecoveryCodes(db, owner, noonMs + 31 * day)).toEqual(sessionUnknown);
  expect(await renewRecoveryCodes(db, owner, noonMs)).toMatchObject({ ok: true });
});

test('Of two browsers that add a first passkey at once, one does, and it alone stays signed in', async () => {
  await using db = await openTestDatabase();
  const userId = await join(db, mira);
  const browsers = [await asked(db, userId), await asked(db, userId)];
  const outcomes = await Promise.all(browsers.map((made) => registerPasskey(db, made, noonMs)));
  expect(outcomes.filter(({ ok }) => !ok)).toEqual([sessionUnknown]);
  const live = await Promise.all(browsers.map((made) => findSession(db, made, noonMs)));
  expect(live.map((session) => session !== null)).toEqual(outcomes.map(({ ok }) => ok));
});

test('Another user’s session adds no passkey and gets no recovery codes', async () => {
  await using db = await openTestDatabase();
  const userId = await join(db, mira);
  const owner = await asked(db, userId);
  expect(await registerPasskey(db, owner, noonMs)).toMatchObject({ ok: true });
  const other = await asked(db, await join(db, { ...mira, email: 'other@example.org' }));
  expect(await renewRecoveryCodes(db, { ...other, userId }, noonMs)).toEqual(sessionUnknown);
});
