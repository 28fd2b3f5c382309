import { eq, sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { mails } from '#db/schema/outbox.ts';
import { authenticators, pendingSignIns, recoveryCodes } from '#db/schema/second-factor.ts';
import { sessions } from '#db/schema/user.ts';
import { exportAccount } from '#domain/account/export-account.ts';
import { getAccount } from '#domain/account/get-account.ts';
import { resetPassword } from '#domain/account/reset-password.ts';
import { linkTwitch } from '#domain/account/twitch/link-twitch.ts';
import { findApiToken } from '#domain/identity/access/find-api-token.ts';
import { issueApiToken } from '#domain/identity/access/issue-api-token.ts';
import { pruneAccess } from '#domain/identity/access/prune-access.ts';
import { redeemExtensionCode } from '#domain/identity/access/redeem-extension-code.ts';
import { changePassword } from '#domain/identity/password/change-password.ts';
import { hashPassword } from '#domain/identity/password/hash-password.ts';
import { requestPasswordReset } from '#domain/identity/password/request-password-reset.ts';
import { beginAuthenticator, findSetup } from '#domain/identity/second-factor/begin-authenticator.ts';
import { enableAuthenticator } from '#domain/identity/second-factor/enable-authenticator.ts';
import { getSecondFactor } from '#domain/identity/second-factor/get-second-factor.ts';
import { removeAuthenticator } from '#domain/identity/second-factor/remove-authenticator.ts';
import { removeSecondFactor } from '#domain/identity/second-factor/remove-second-factor.ts';
import { renewRecoveryCodes } from '#domain/identity/second-factor/renew-recovery-codes.ts';
import { totpAt } from '#domain/identity/second-factor/totp.ts';
import { admitBrowser } from '#domain/identity/session/admit-browser.ts';
import { completeSignIn, findPendingSignIn } from '#domain/identity/session/complete-sign-in.ts';
import {
  confirmByPassword,
  confirmBySecondFactor,
  confirmByTwitch,
} from '#domain/identity/session/confirm-identity.ts';
import { signOutElsewhere } from '#domain/identity/session/end-session.ts';
import { findSession } from '#domain/identity/session/find-session.ts';
import { openSession } from '#domain/identity/session/open-session.ts';
import { signIn } from '#domain/identity/session/sign-in.ts';
import { day, hour, minute, second } from '#domain/kernel/time.ts';
import { openTestDatabase, type TestDatabase } from '#tests/support/database.ts';
import { extensionCodeOf, join, mira, miraOnTwitch, noonMs, vault, viewerGrant } from './people.ts';

/** The app's clock, apart from the instance's. */
const systemMs = Date.UTC(2026, 10, 23, 12);
const times = { nowMs: noonMs, systemMs };
const password = 'a short sentence';
const browser = { userAgent: 'test' };
const wrong = { ok: false, code: 'secondFactorWrong' };

/** The secret that a QR code contained. */
async function secretOf(db: TestDatabase, userId: string): Promise<string> {
  const [app] = await db.read.select().from(authenticators).where(eq(authenticators.userId, userId));
  return app?.secret ?? '';
}

/** Somebody who has just turned an app on, in this session. */
async function protectedPerson(db: TestDatabase) {
  const userId = await join(db, { ...mira, passwordHash: await hashPassword(password) });
  const { token } = await openSession(db, { userId, ...browser }, noonMs);
  await beginAuthenticator(db, { userId, currentToken: token }, noonMs);
  const secret = await secretOf(db, userId);
  const enabled = await enableAuthenticator(
    db,
    { userId, code: totpAt(secret, systemMs - 10 * minute), currentToken: token },
    { nowMs: noonMs, systemMs: systemMs - 10 * minute },
  );
  if (!enabled.ok || !enabled.recoveryCodes) throw new Error('not enabled');
  return { userId, token, secret, codes: enabled.recoveryCodes };
}

/** Begins a sign-in by the password, up to the second step. */
async function pendingOf(db: TestDatabase, nowMs = noonMs): Promise<string> {
  const begun = await signIn(db, { email: mira.email, password, ...browser }, nowMs);
  if (!begun.ok || begun.step !== 'secondFactor') throw new Error('no second step');
  return begun.pendingToken;
}

const changesMailed = async (db: TestDatabase) =>
  (await db.read.select().from(mails).where(eq(mails.template, 'accountChanged'))).map(
    ({ values }) => values.change,
  );

test('An app is on only after a right code, within an hour of its QR code', async () => {
  await using db = await openTestDatabase();
  const userId = await join(db, { ...mira, passwordHash: await hashPassword(password) });
  const { token: currentToken } = await openSession(db, { userId, ...browser }, noonMs);
  const own = { userId, currentToken };
  const enable = (code: string, nowMs = noonMs) =>
    enableAuthenticator(db, { ...own, code }, { nowMs, systemMs });
  expect(await enable('123456')).toEqual({ ok: false, code: 'setupUnknown' });
  await beginAuthenticator(db, own, noonMs);
  const earlier = await secretOf(db, userId);
  await beginAuthenticator(db, own, noonMs);
  const secret = await secretOf(db, userId);
  expect(await findSetup(db.read, own, noonMs)).toEqual({ secret });
  for (const written of ['abcdef', 'ключик', '١٢٣٤٥٦']) expect(await enable(written)).toEqual(wrong);
  expect(await enable(totpAt(earlier, systemMs))).toEqual(wrong);
  const right = totpAt(secret, systemMs);
  expect(await enable(right, noonMs + hour)).toEqual({ ok: false, code: 'setupUnknown' });
  expect(await signIn(db, { email: mira.email, password, ...browser }, noonMs)).toMatchObject({
    step: 'done',
  });
  expect((await getAccount(db, { userId }))?.hasSecondFactor).toBe(false);
  const enabled = await enable(`${right.slice(0, 3)} ${right.slice(3)}`);
  expect(enabled).toMatchObject({ ok: true, recoveryCodes: expect.any(Array) });
  expect((await getAccount(db, { userId }))?.hasSecondFactor).toBe(true);
  expect(await getSecondFactor(db.read, { userId })).toEqual({
    authenticatorAtMs: noonMs,
    passkeys: [],
    recoveryCodesLeft: 10,
  });
  expect(await beginAuthenticator(db, own, noonMs)).toEqual({ ok: false, code: 'authenticatorOn' });
  expect(await findSetup(db.read, own, noonMs)).toBeNull();
  expect(await changesMailed(db)).toEqual(['authenticatorOn']);
});

test('Turning an app on ends what began without it: other browsers, codes of the companion app. API tokens stay', async () => {
  await using db = await openTestDatabase();
  const userId = await join(db, { ...mira, passwordHash: await hashPassword(password) });
  const [own, other] = [
    await openSession(db, { userId, ...browser }, noonMs),
    await openSession(db, { userId, ...browser }, noonMs),
  ];
  const issued = await issueApiToken(db, { userId, name: 'Script' }, noonMs);
  const { code: appCode } = await extensionCodeOf(db, userId, noonMs);
  await requestPasswordReset(db, { email: mira.email }, noonMs);
  const [mail] = await db.read.select().from(mails).where(eq(mails.template, 'resetPassword'));
  await beginAuthenticator(db, { userId, currentToken: own.token }, noonMs);
  const code = totpAt(await secretOf(db, userId), systemMs);
  await enableAuthenticator(db, { userId, code, currentToken: own.token }, times);
  expect(await findSession(db, own, noonMs)).toMatchObject({ userId });
  expect(await findSession(db, other, noonMs)).toBeNull();
  expect(await findApiToken(db, { token: issued.ok ? issued.token : '' }, noonMs)).not.toBeNull();
  expect(await redeemExtensionCode(db, { code: appCode, device: 'Phone' }, noonMs)).toMatchObject({
    ok: false,
  });
  const link = { email: mira.email, token: mail?.values.token ?? '' };
  const reset = { ...link, password, site: 'localhost' };
  expect(await resetPassword(db, reset, noonMs)).toEqual({ ok: false, code: 'resetLinkBad' });
});

test('A secret is shown to, and turned on by, only the session that began it, and ends with that session', async () => {
  await using db = await openTestDatabase();
  const userId = await join(db, { ...mira, passwordHash: await hashPassword(password) });
  const { token: thief } = await openSession(db, { userId, ...browser }, noonMs);
  const { token: owner } = await openSession(db, { userId, ...browser }, noonMs);
  const shownTo = (currentToken: string) => findSetup(db.read, { userId, currentToken }, noonMs);
  const enable = (currentToken: string, secret: string) =>
    enableAuthenticator(db, { userId, code: totpAt(secret, systemMs), currentToken }, times);
  await beginAuthenticator(db, { userId, currentToken: thief }, noonMs);
  const known = await secretOf(db, userId);
  expect(await shownTo(thief)).toEqual({ secret: known });
  expect(await shownTo(owner)).toBeNull();
  expect(await enable(owner, known)).toEqual({ ok: false, code: 'setupUnknown' });

  const change = { userId, current: password, next: 'another sentence', currentToken: owner, site: '' };
  await changePassword(db, change, noonMs);
  expect(await db.read.$count(authenticators)).toBe(0);

  await beginAuthenticator(db, { userId, currentToken: owner }, noonMs);
  const secret = await secretOf(db, userId);
  expect(secret).not.toBe(known);
  expect(await shownTo(thief)).toBeNull();
  expect(await enable(owner, secret)).toMatchObject({ ok: true });
});

test('Whoever reads the database finds neither the secret nor a recovery code', async () => {
  await using db = await openTestDatabase();
  const { secret, codes } = await protectedPerson(db);
  const [raw] = await db.read
    .select({ secret: sql<string>`${authenticators.secret}`.mapWith(String) })
    .from(authenticators);
  expect(raw?.secret).toMatch(/^sealed:v1\.[\w-]{40,}$/);
  expect(raw?.secret).not.toContain(secret);
  const stored = JSON.stringify(await db.read.select().from(recoveryCodes));
  expect(codes).toHaveLength(10);
  for (const code of codes) {
    expect(code).toMatch(/^([A-HJ-KM-NP-TV-Z2-9]{4}-){3}[A-HJ-KM-NP-TV-Z2-9]{4}$/);
    expect(stored).not.toContain(code);
    expect(stored).not.toContain(code.replaceAll('-', ''));
  }
});

test('Signing out everywhere else also ends sign-ins that wait, codes of the companion app and apps that are not on yet', async () => {
  await using db = await openTestDatabase();
  const { userId, token } = await protectedPerson(db);
  const pendingToken = await pendingOf(db);
  const { code } = await extensionCodeOf(db, userId, noonMs);
  const stranger = await join(db, { ...mira, email: 'other@example.org' });
  await beginAuthenticator(db, { userId: stranger, currentToken: '' }, noonMs);
  expect(await signOutElsewhere(db, { userId, currentToken: token })).toEqual({ ok: true, ended: 0 });
  expect(await findPendingSignIn(db.read, { pendingToken }, noonMs)).toBeNull();
  expect(await redeemExtensionCode(db, { code, device: 'Phone' }, noonMs)).toMatchObject({ ok: false });
  expect(await db.read.$count(authenticators)).toBe(2);
  await signOutElsewhere(db, { userId: stranger, currentToken: '' });
  expect(await db.read.$count(authenticators)).toBe(1);
});

test('A right password or Twitch opens no session before the second step', async () => {
  await using db = await openTestDatabase();
  const { userId, secret } = await protectedPerson(db);
  const before = await db.read.$count(sessions);
  const pendingToken = await pendingOf(db);
  const byTwitch = await admitBrowser(db, { userId, ...browser, isProof: false }, noonMs);
  expect(byTwitch).toEqual({ userId, step: 'secondFactor', pendingToken: expect.any(String) });
  expect(await findSession(db, { token: pendingToken }, noonMs)).toBeNull();
  expect(await db.read.$count(sessions)).toBe(before);
  expect(JSON.stringify(await db.read.select().from(pendingSignIns))).not.toContain(pendingToken);

  const refused = await completeSignIn(db, { pendingToken, code: '000000', ...browser }, times);
  expect(refused).toEqual(wrong);
  const code = totpAt(secret, systemMs);
  const completed = await completeSignIn(db, { pendingToken, code, ...browser }, times);
  expect(completed).toMatchObject({ ok: true, userId });
  const token = completed.ok ? completed.token : '';
  expect(await findSession(db, { token }, noonMs)).toMatchObject({ userId, confirmed: true });
});

test('A pending sign-in works once, for ten minutes, and not after a new password', async () => {
  await using db = await openTestDatabase();
  const { userId, token, secret } = await protectedPerson(db);
  const expired = { ok: false, code: 'signInExpired' };
  const complete = (pendingToken: string, steps: number, nowMs = noonMs) => {
    const atMs = systemMs + steps * 30 * second;
    const code = totpAt(secret, atMs);
    return completeSignIn(db, { pendingToken, code, ...browser }, { nowMs, systemMs: atMs });
  };
  const first = await pendingOf(db);
  expect(await complete(first, 0)).toMatchObject({ ok: true });
  expect(await complete(first, 1)).toEqual(expired);

  const late = await pendingOf(db);
  expect(await findPendingSignIn(db.read, { pendingToken: late }, noonMs + 10 * minute - 1)).toEqual({
    userId,
  });
  expect(await complete(late, 2, noonMs + 10 * minute)).toEqual(expired);

  const stale = await pendingOf(db);
  const change = { userId, current: password, next: 'another sentence', currentToken: token, site: '' };
  await changePassword(db, change, noonMs);
  expect(await complete(stale, 3)).toEqual(expired);
  expect(await complete('made up', 4)).toEqual(expired);

  await pruneAccess(db, noonMs + 11 * minute, systemMs);
  expect(await db.read.$count(pendingSignIns)).toBe(0);
});

test('Each code of an app works once, and none before it any more', async () => {
  await using db = await openTestDatabase();
  const { userId, token, secret } = await protectedPerson(db);
  const own = { userId, token };
  const confirm = async (steps: number) => {
    const code = totpAt(secret, systemMs + steps * 30 * second);
    const confirmed = await confirmBySecondFactor(db, { ...own, code }, times);
    if (!confirmed.ok) return confirmed;
    own.token = confirmed.token;
    return { ok: true };
  };
  expect(await confirm(0)).toEqual({ ok: true });
  expect(await confirm(0)).toEqual(wrong);
  expect(await confirm(-1)).toEqual(wrong);
  expect(await confirm(1)).toEqual({ ok: true });
  expect(await confirm(0)).toEqual(wrong);
  expect(await confirm(2)).toEqual(wrong);
});

test('The code that turned the app on does not sign in as well', async () => {
  await using db = await openTestDatabase();
  const { secret } = await protectedPerson(db);
  const atMs = systemMs - 10 * minute;
  const replayed = { pendingToken: await pendingOf(db), code: totpAt(secret, atMs), ...browser };
  expect(await completeSignIn(db, replayed, { nowMs: noonMs, systemMs: atMs })).toEqual(wrong);
});

test.each([
  ['a code of the app', ({ secret }: { secret: string }) => totpAt(secret, systemMs)],
  ['a recovery code', ({ codes }: { codes: string[] }) => codes[4] ?? ''],
])('Of two sign-ins at once with %s one succeeds', async (_, codeOf) => {
  await using db = await openTestDatabase();
  const person = await protectedPerson(db);
  const code = codeOf(person);
  const pending = [await pendingOf(db), await pendingOf(db), await pendingOf(db)];
  const outcomes = await Promise.all(
    pending.map((pendingToken) => completeSignIn(db, { pendingToken, code, ...browser }, times)),
  );
  expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1);
  expect(outcomes.filter(({ ok }) => !ok)).toEqual([wrong, wrong]);
});

test('One pending sign-in with two codes at once opens one session', async () => {
  await using db = await openTestDatabase();
  const { codes } = await protectedPerson(db);
  const pendingToken = await pendingOf(db);
  const outcomes = await Promise.all(
    codes.slice(0, 3).map((code) => completeSignIn(db, { pendingToken, code, ...browser }, times)),
  );
  expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1);
  expect(
    (await db.read.select().from(recoveryCodes)).filter(({ usedAtMs }) => usedAtMs !== null),
  ).toHaveLength(1);
});

test('A recovery code is read in any case and with spaces, belongs to its account, and its use is mailed', async () => {
  await using db = await openTestDatabase();
  const { userId, codes } = await protectedPerson(db);
  const other = await join(db, { ...mira, email: 'other@example.org' });
  const { token } = await openSession(db, { userId: other, ...browser }, noonMs);
  const [code = ''] = codes;
  expect(await confirmBySecondFactor(db, { userId: other, token, code }, times)).toEqual(wrong);
  const typed = code.toLowerCase().replaceAll('-', ' ');
  const entered = await completeSignIn(
    db,
    { pendingToken: await pendingOf(db), code: typed, ...browser },
    times,
  );
  expect(entered).toMatchObject({ ok: true, userId });
  expect(await getSecondFactor(db.read, { userId })).toMatchObject({ recoveryCodesLeft: 9 });
  expect(await changesMailed(db)).toEqual(['authenticatorOn', 'recoveryCodeUsed']);
});

test('New recovery codes replace the ones before', async () => {
  await using db = await openTestDatabase();
  const { userId, token, codes } = await protectedPerson(db);
  const renewed = await renewRecoveryCodes(db, { userId, currentToken: token }, noonMs);
  const [fresh = ''] = renewed.ok ? renewed.recoveryCodes : [];
  const confirm = (code: string) => confirmBySecondFactor(db, { userId, token, code }, times);
  expect(await confirm(codes[0] ?? '')).toEqual(wrong);
  expect(await confirm(fresh)).toMatchObject({ ok: true });
  const stranger = await join(db, { ...mira, email: 'other@example.org' });
  expect(await renewRecoveryCodes(db, { userId: stranger, currentToken: token }, noonMs)).toEqual({
    ok: false,
    code: 'secondFactorOff',
  });
});

test('With a second factor neither the password nor Twitch alone confirms who uses a session', async () => {
  await using db = await openTestDatabase();
  const { userId, token } = await protectedPerson(db);
  await linkTwitch(db, { vault, userId, person: miraOnTwitch, grant: viewerGrant }, noonMs);
  const needed = { ok: false, code: 'secondFactorNeeded' };
  expect(await confirmByPassword(db, { userId, token, password }, noonMs)).toEqual(needed);
  const { twitchId } = miraOnTwitch;
  expect(await confirmByTwitch(db, { userId, token, twitchId }, noonMs)).toEqual(needed);
});

test('An app is turned off only by a right code, and a reset password leaves it on', async () => {
  await using db = await openTestDatabase();
  const { userId, secret, codes } = await protectedPerson(db);
  await requestPasswordReset(db, { email: mira.email }, noonMs);
  const [mail] = await db.read.select().from(mails).where(eq(mails.template, 'resetPassword'));
  const link = { email: mira.email, token: mail?.values.token ?? '' };
  const pendingToken = await pendingOf(db);
  await resetPassword(db, { ...link, password, site: 'localhost' }, noonMs);
  expect(await findPendingSignIn(db.read, { pendingToken }, noonMs)).toBeNull();
  expect((await getAccount(db, { userId }))?.hasSecondFactor).toBe(true);
  await pendingOf(db);

  expect(await removeAuthenticator(db, { userId, code: '000000' }, times)).toEqual(wrong);
  expect(await removeAuthenticator(db, { userId, code: password }, times)).toEqual(wrong);
  const code = totpAt(secret, systemMs);
  expect(await removeAuthenticator(db, { userId, code }, times)).toEqual({ ok: true });
  expect(await removeAuthenticator(db, { userId, code: codes[0] ?? '' }, times)).toEqual({
    ok: false,
    code: 'authenticatorOff',
  });
  expect((await getAccount(db, { userId }))?.hasSecondFactor).toBe(false);
  expect(await db.read.$count(recoveryCodes)).toBe(0);
  expect(await db.read.$count(pendingSignIns)).toBe(0);
  expect(await changesMailed(db)).toContain('authenticatorOff');
  expect(await signIn(db, { email: mira.email, password, ...browser }, noonMs)).toMatchObject({
    step: 'done',
  });
});

test('The operator lets somebody in who lost everything: the factor goes, every browser is signed out, the owner is mailed', async () => {
  await using db = await openTestDatabase();
  const { userId, token } = await protectedPerson(db);
  expect(await removeSecondFactor(db, { email: 'nobody@example.org' }, noonMs)).toEqual({
    ok: false,
    code: 'userUnknown',
  });
  expect(await removeSecondFactor(db, { email: mira.email.toUpperCase() }, noonMs)).toEqual({
    ok: true,
    userId,
  });
  expect(await findSession(db, { token }, noonMs)).toBeNull();
  expect(await db.read.$count(authenticators)).toBe(0);
  expect(await db.read.$count(recoveryCodes)).toBe(0);
  expect((await changesMailed(db)).at(-1)).toBe('secondFactorRemoved');
  expect(await removeSecondFactor(db, { email: mira.email }, noonMs)).toEqual({
    ok: false,
    code: 'secondFactorOff',
  });
});

test('The export names the second factor without its secrets', async () => {
  await using db = await openTestDatabase();
  const { userId, secret, codes } = await protectedPerson(db);
  const exported = await exportAccount(db, { userId }, noonMs + day);
  expect(exported).toMatchObject({
    secondFactor: { authenticatorAt: new Date(noonMs).toISOString(), recoveryCodesLeft: 10 },
  });
  for (const hidden of [secret, ...codes]) expect(JSON.stringify(exported)).not.toContain(hidden);
});
