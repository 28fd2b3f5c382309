import { expect, test } from 'vitest';
import { authenticators } from '#db/schema/second-factor.ts';
import { sessions } from '#db/schema/user.ts';
import { linkSteam } from '#domain/account/steam/link-steam.ts';
import { linkTwitch } from '#domain/account/twitch/link-twitch.ts';
import { decideAccessRequest } from '#domain/identity/access/decide-access-request.ts';
import { issueApiToken } from '#domain/identity/access/issue-api-token.ts';
import { issueExtensionCode } from '#domain/identity/access/issue-extension-code.ts';
import { requestAccess } from '#domain/identity/access/request-access.ts';
import { hashOf } from '#domain/identity/access/secret-token.ts';
import { beginAuthenticator, findSetup } from '#domain/identity/second-factor/begin-authenticator.ts';
import { enableAuthenticator } from '#domain/identity/second-factor/enable-authenticator.ts';
import { askForNewPasskey } from '#domain/identity/second-factor/passkeys/ask-for-passkey.ts';
import { registerPasskey } from '#domain/identity/second-factor/passkeys/register-passkey.ts';
import { renewRecoveryCodes } from '#domain/identity/second-factor/renew-recovery-codes.ts';
import { totpAt } from '#domain/identity/second-factor/totp.ts';
import { endSession, signOutElsewhere } from '#domain/identity/session/end-session.ts';
import { findSession } from '#domain/identity/session/find-session.ts';
import { openSession } from '#domain/identity/session/open-session.ts';
import { day } from '#domain/kernel/time.ts';
import { openTestDatabase, type TestDatabase } from '#tests/support/database.ts';
import { nextNumber, steamIdOf } from '#tests/support/fixtures.ts';
import { PasskeyDevice } from '#tests/support/passkey-device.ts';
import { join, mira, miraOnTwitch, noonMs, vault, viewerGrant } from './people.ts';

const site = { origin: 'http://localhost:3000', rpId: 'localhost', name: 'Keepsake' };
const sessionUnknown = { ok: false, code: 'sessionUnknown' };

/** A browser of this user that was asked for a new passkey, and the answer that it will send. */
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

/** A session of this user that has ended, and one that goes on. */
async function twoSessions(db: TestDatabase, userId: string) {
  const [ended, live] = [
    await openSession(db, { userId, userAgent: 'test' }, noonMs),
    await openSession(db, { userId, userAgent: 'test' }, noonMs),
  ];
  await signOutElsewhere(db, { userId, currentToken: live.token, sessionId: hashOf(ended.token) });
  return { ended: ended.token, live: live.token };
}

const times = { nowMs: noonMs, systemMs: noonMs };
type Act = (db: TestDatabase, own: { userId: string; currentToken: string }) => Promise<{ ok: boolean }>;
const acts: [string, Act][] = [
  ['an API token', (db, own) => issueApiToken(db, { ...own, name: 'Script' }, noonMs)],
  [
    'access of a program',
    async (db, own) => {
      const { userCode } = await requestAccess(db, { program: 'Demo speaker' }, noonMs);
      return decideAccessRequest(db, { ...own, userCode, isAllowed: true }, noonMs);
    },
  ],
  ['a code for the companion app', (db, own) => issueExtensionCode(db, own, noonMs)],
  ['a Steam account', (db, own) => linkSteam(db, { ...own, steamId: steamIdOf(nextNumber()) }, noonMs)],
  [
    'a Twitch account',
    (db, own) => linkTwitch(db, { ...own, vault, person: miraOnTwitch, grant: viewerGrant }, noonMs),
  ],
];

test.each(acts)('A session that ended meanwhile is refused: %s', async (_, act) => {
  await using db = await openTestDatabase();
  const userId = await join(db, mira);
  const { ended, live } = await twoSessions(db, userId);
  expect(await act(db, { userId, currentToken: ended })).toEqual(sessionUnknown);
  expect(await act(db, { userId, currentToken: live })).toMatchObject({ ok: true });
});

/** An app that this session begins to set up, and its code. */
async function beginApp(db: TestDatabase, own: { userId: string; currentToken: string }) {
  await beginAuthenticator(db, own, noonMs);
  const setup = await findSetup(db.read, own, noonMs);
  return { ...own, code: totpAt(setup?.secret ?? '', noonMs) };
}

test('A session that has expired turns on no app that it began', async () => {
  await using db = await openTestDatabase();
  const userId = await join(db, mira);
  const { token: currentToken } = await openSession(db, { userId, userAgent: 'test' }, noonMs);
  const begun = await beginApp(db, { userId, currentToken });
  await db.transaction(async (tx) => {
    await tx.update(sessions).set({ expiresAtMs: noonMs });
  });
  expect(await enableAuthenticator(db, begun, times)).toEqual(sessionUnknown);
});

test.each(['by its owner', 'from elsewhere'])(
  'The setup of an app ends with its session, ended %s',
  async (by) => {
    await using db = await openTestDatabase();
    const userId = await join(db, mira);
    const [one, other] = [
      await openSession(db, { userId, userAgent: 'test' }, noonMs),
      await openSession(db, { userId, userAgent: 'test' }, noonMs),
    ];
    await beginApp(db, { userId, currentToken: one.token });
    const sessionId = hashOf(one.token);
    if (by === 'by its owner') await endSession(db, one);
    else await signOutElsewhere(db, { userId, currentToken: other.token, sessionId });
    expect(await db.read.select().from(authenticators)).toEqual([]);
  },
);

test('The setup of another session stays', async () => {
  await using db = await openTestDatabase();
  const userId = await join(db, mira);
  const [one, other] = [
    await openSession(db, { userId, userAgent: 'test' }, noonMs),
    await openSession(db, { userId, userAgent: 'test' }, noonMs),
  ];
  const begun = await beginApp(db, { userId, currentToken: one.token });
  await endSession(db, other);
  expect(await enableAuthenticator(db, begun, times)).toMatchObject({ ok: true });
});
