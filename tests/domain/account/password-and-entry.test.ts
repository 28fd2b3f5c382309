import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { mails } from '#db/schema/outbox.ts';
import { users } from '#db/schema/user.ts';
import { getReadiness } from '#domain/account/get-readiness.ts';
import { resetPassword } from '#domain/account/reset-password.ts';
import { enterByTwitch } from '#domain/account/twitch/enter-by-twitch.ts';
import { verifyEmail } from '#domain/account/verify-email.ts';
import { findApiToken } from '#domain/identity/access/find-api-token.ts';
import { issueApiToken } from '#domain/identity/access/issue-api-token.ts';
import { redeemExtensionCode } from '#domain/identity/access/redeem-extension-code.ts';
import { requestEmailChange } from '#domain/identity/email/request-email-change.ts';
import { changePassword } from '#domain/identity/password/change-password.ts';
import { hashPassword } from '#domain/identity/password/hash-password.ts';
import { requestPasswordReset } from '#domain/identity/password/request-password-reset.ts';
import { findSession } from '#domain/identity/session/find-session.ts';
import { openSession } from '#domain/identity/session/open-session.ts';
import { signIn } from '#domain/identity/session/sign-in.ts';
import { openTestDatabase } from '#tests/support/database.ts';
import { addBot, addRule, addStreamer, asset, deposit } from '#tests/support/fixtures.ts';
import { extensionCodeOf, join, mira, miraOnTwitch, noonMs, register, vault, viewerGrant } from './people.ts';

const byTwitch = { vault, person: miraOnTwitch, grant: viewerGrant, locale: 'en' } as const;

test('A new password needs the current one, and signs out every other browser', async () => {
  await using db = await openTestDatabase();
  const userId = await register(db, { ...mira, passwordHash: await hashPassword('a short sentence') });
  const own = await openSession(db, { userId, userAgent: 'own' }, noonMs);
  const other = await openSession(db, { userId, userAgent: 'other' }, noonMs);
  const change = { userId, next: 'a longer sentence', currentToken: own.token, site: 'localhost' };
  expect(await changePassword(db, { ...change, current: 'not it' }, noonMs)).toEqual({
    ok: false,
    code: 'passwordWrong',
  });
  expect(await changePassword(db, { ...change, current: 'a short sentence' }, noonMs)).toEqual({ ok: true });
  expect(await findSession(db, { token: own.token }, noonMs)).not.toBeNull();
  expect(await findSession(db, { token: other.token }, noonMs)).toBeNull();
  expect(
    (await signIn(db, { email: mira.email, password: 'a longer sentence', userAgent: 'test' }, noonMs)).ok,
  ).toBe(true);
  expect(
    (await signIn(db, { email: mira.email, password: 'a short sentence', userAgent: 'test' }, noonMs)).ok,
  ).toBe(false);
});

test('A new password that is easy to guess is refused, and the present one stays', async () => {
  await using db = await openTestDatabase();
  const current = 'a short sentence';
  const userId = await register(db, { ...mira, passwordHash: await hashPassword(current) });
  const change = { userId, current, currentToken: '', site: 'rewards.example.org' };
  const attempt = (next: string) => changePassword(db, { ...change, next }, noonMs);
  expect(await attempt('qwertyuiop')).toEqual({ ok: false, code: 'passwordCommon' });
  expect(await attempt(mira.email)).toEqual({ ok: false, code: 'passwordPersonal' });
  expect(await attempt('rewards1234')).toEqual({ ok: false, code: 'passwordPersonal' });
  expect(await signIn(db, { email: mira.email, password: current, userAgent: 'test' }, noonMs)).toMatchObject(
    { ok: true },
  );
});

test('A new password ends everything begun with the old one, such as mailed links and codes, but no API token', async () => {
  await using db = await openTestDatabase();
  const current = 'a short sentence';
  const userId = await join(db, { ...mira, passwordHash: await hashPassword(current) });
  const key = await issueApiToken(db, { userId, name: 'Script' }, noonMs);
  const { code } = await extensionCodeOf(db, userId, noonMs);
  await requestEmailChange(db, { userId, email: 'thief@example.org', password: current }, noonMs);
  await requestPasswordReset(db, { email: mira.email }, noonMs);
  const tokenOf = async (template: string) => {
    const [mail] = await db.read.select().from(mails).where(eq(mails.template, template));
    return mail?.values.token ?? '';
  };
  const change = { userId, current, next: 'a longer sentence', currentToken: '', site: 'localhost' };
  await changePassword(db, change, noonMs + 1);
  expect(await verifyEmail(db, { token: await tokenOf('changeEmail') }, noonMs + 2)).toEqual({
    ok: false,
    code: 'verificationUsed',
  });
  const link = { email: mira.email, token: await tokenOf('resetPassword') };
  const reset = { ...link, password: 'a newer sentence', site: 'localhost' };
  expect(await resetPassword(db, reset, noonMs + 2)).toEqual({ ok: false, code: 'resetLinkBad' });
  expect(await redeemExtensionCode(db, { code, device: 'Phone' }, noonMs + 2)).toMatchObject({ ok: false });
  expect(await findApiToken(db, { token: key.ok ? key.token : '' }, noonMs + 2)).not.toBeNull();
});

test('A user who signed up with Twitch sets a first password without an old one; of two at once one wins', async () => {
  await using db = await openTestDatabase();
  const entered = await enterByTwitch(db, byTwitch, noonMs);
  if (!entered.ok) throw new Error(entered.code);
  const change = { userId: entered.userId, current: '', currentToken: '', site: 'localhost' };
  const outcomes = await Promise.all(
    ['first sentence', 'second sentence'].map((next) => changePassword(db, { ...change, next }, noonMs)),
  );
  expect(outcomes.filter((outcome) => outcome.ok)).toHaveLength(1);
});

test('Two concurrent answers from Twitch sign in to one account', async () => {
  await using db = await openTestDatabase();
  const outcomes = await Promise.all([1, 2, 3].map(() => enterByTwitch(db, byTwitch, noonMs)));
  expect(new Set(outcomes.map((outcome) => outcome.ok && outcome.userId)).size).toBe(1);
  expect(outcomes.filter((outcome) => outcome.ok && outcome.registered)).toHaveLength(1);
  expect(await db.read.select().from(users)).toHaveLength(1);
});

test('The last setup steps are a first item and a first rule', async () => {
  await using db = await openTestDatabase();
  const streamer = await addStreamer(db);
  expect(await getReadiness(db, streamer)).toEqual({ hasItem: false, hasRule: false });
  await addRule(db, streamer, { rewards: 0 });
  expect(await getReadiness(db, streamer)).toEqual({ hasItem: false, hasRule: true });
  await addBot(db);
  await deposit(db, streamer, [asset()]);
  expect(await getReadiness(db, streamer)).toEqual({ hasItem: true, hasRule: true });
});
