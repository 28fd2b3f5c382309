import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import type { Database } from '#db/database.ts';
import { mails } from '#db/schema/outbox.ts';
import { emailTokens, sessions, users } from '#db/schema/user.ts';
import { getAccount } from '#domain/account/get-account.ts';
import { resetPassword } from '#domain/account/reset-password.ts';
import { verifyEmail } from '#domain/account/verify-email.ts';
import { requestEmailChange } from '#domain/identity/email/request-email-change.ts';
import { isResetLinkOpen } from '#domain/identity/password/is-reset-link-open.ts';
import { isPassword } from '#domain/identity/password/password.ts';
import { requestPasswordReset } from '#domain/identity/password/request-password-reset.ts';
import { findSession } from '#domain/identity/session/find-session.ts';
import { openSession } from '#domain/identity/session/open-session.ts';
import { hour } from '#domain/kernel/time.ts';
import { openTestDatabase } from '#tests/support/database.ts';
import { mira, noonMs, otto, register } from './people.ts';

async function resetToken(db: Database, email: string, nowMs = noonMs): Promise<string> {
  await requestPasswordReset(db, { email }, nowMs);
  const rows = await db.read
    .select()
    .from(mails)
    .where(eq(mails.template, 'resetPassword'))
    .orderBy(mails.id);
  return rows.at(-1)?.values.token ?? '';
}

const fresh = { password: 'a newer sentence', site: 'localhost' };

const hashOfUser = async (db: Database, userId: string) =>
  (await db.read.select().from(users).where(eq(users.id, userId)))[0]?.passwordHash;

test('A reset link sets a password, once, and signs out every browser', async () => {
  await using db = await openTestDatabase();
  const userId = await register(db, { ...mira, passwordHash: 'old' });
  const { token: cookie } = await openSession(db, { userId, userAgent: '' }, noonMs);
  const token = await resetToken(db, mira.email.toUpperCase());
  const reset = { email: mira.email, token, ...fresh };
  expect(await resetPassword(db, reset, noonMs + 1)).toEqual({ ok: true, userId });
  const set = (await hashOfUser(db, userId)) ?? '';
  expect(await isPassword(fresh.password, set)).toBe(true);
  expect(await findSession(db, { token: cookie }, noonMs + 2)).toBeNull();
  expect(await resetPassword(db, { ...reset, password: 'yet another sentence' }, noonMs + 2)).toEqual({
    ok: false,
    code: 'resetLinkBad',
  });
  expect(await hashOfUser(db, userId)).toBe(set);
});

test('A reset proves the address', async () => {
  await using db = await openTestDatabase();
  const userId = await register(db, mira);
  const token = await resetToken(db, mira.email);
  await resetPassword(db, { email: mira.email, token, ...fresh }, noonMs + 1);
  expect(await getAccount(db, { userId })).toMatchObject({ verified: true });
});

test('A reset link is valid for an hour, for its own account, and for nothing else', async () => {
  await using db = await openTestDatabase();
  await register(db, mira);
  await register(db, otto);
  const token = await resetToken(db, mira.email);
  const refusal = { ok: false, code: 'resetLinkBad' };
  const attempt = (more: object, nowMs = noonMs + 1) =>
    resetPassword(db, { email: mira.email, token, ...fresh, ...more }, nowMs);
  expect(await attempt({}, noonMs + hour)).toEqual(refusal);
  expect(await attempt({ email: otto.email })).toEqual(refusal);
  expect(await attempt({ token: '' })).toEqual(refusal);
  const [verification] = await db.read.select().from(mails).where(eq(mails.template, 'verifyEmail'));
  expect(await attempt({ token: verification?.values.token ?? '' })).toEqual(refusal);
  expect(await verifyEmail(db, { token }, noonMs + 1)).toEqual({ ok: false, code: 'verificationUnknown' });
  expect(await attempt({}, noonMs + hour - 1)).toMatchObject({ ok: true });
});

test('Of two concurrent resets one sets the password', async () => {
  await using db = await openTestDatabase();
  await register(db, mira);
  const token = await resetToken(db, mira.email);
  const outcomes = await Promise.all(
    ['one long sentence', 'two long sentences'].map((password) =>
      resetPassword(db, { email: mira.email, token, ...fresh, password }, noonMs + 1),
    ),
  );
  expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1);
});

test('An address without an account gets no mail, and nothing is stored', async () => {
  await using db = await openTestDatabase();
  expect(await requestPasswordReset(db, { email: 'nobody@example.org' }, noonMs)).toBeUndefined();
  expect(await db.read.select().from(mails)).toEqual([]);
  expect(await db.read.select().from(emailTokens)).toEqual([]);
});

test('A reset cancels an address change that somebody else began', async () => {
  await using db = await openTestDatabase();
  const userId = await register(db, { ...mira, passwordHash: null as never });
  await requestEmailChange(db, { userId, email: 'thief@example.org', password: '' }, noonMs);
  const [change] = await db.read.select().from(mails).where(eq(mails.template, 'changeEmail'));
  const token = await resetToken(db, mira.email);
  await resetPassword(db, { email: mira.email, token, ...fresh }, noonMs + 1);
  expect(await verifyEmail(db, { token: change?.values.token ?? '' }, noonMs + 2)).toEqual({
    ok: false,
    code: 'verificationUsed',
  });
  expect(await db.read.select().from(sessions)).toEqual([]);
});

test('A reset link is open for an hour and until it is used, and a link of another kind never', async () => {
  await using db = await openTestDatabase();
  await register(db, mira);
  const token = await resetToken(db, mira.email);
  const isOpen = (of = token, nowMs = noonMs + 1) => isResetLinkOpen(db.read, { token: of }, nowMs);
  expect(await isOpen()).toBe(true);
  expect(await isOpen(token, noonMs + hour - 1)).toBe(true);
  expect(await isOpen(token, noonMs + hour)).toBe(false);
  expect(await isOpen('unknown')).toBe(false);
  const [verification] = await db.read.select().from(mails).where(eq(mails.template, 'verifyEmail'));
  expect(await isOpen(verification?.values.token ?? '')).toBe(false);
  await resetPassword(db, { email: mira.email, token, ...fresh }, noonMs + 1);
  expect(await isOpen()).toBe(false);
});

test('A password that is easy to guess is refused, also for what the account is called, and the link stays open', async () => {
  await using db = await openTestDatabase();
  const userId = await register(db, { ...mira, passwordHash: 'old' });
  const token = await resetToken(db, mira.email);
  const attempt = (password: string) =>
    resetPassword(db, { email: mira.email, token, ...fresh, password }, noonMs + 1);
  expect(await attempt('password123')).toEqual({ ok: false, code: 'passwordCommon' });
  expect(await attempt('MIRA@example.org')).toEqual({ ok: false, code: 'passwordPersonal' });
  expect(await hashOfUser(db, userId)).toBe('old');
  expect(await attempt(fresh.password)).toEqual({ ok: true, userId });
});
