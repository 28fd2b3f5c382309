import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import type { Database } from '#db/database.ts';
import { mails } from '#db/schema/outbox.ts';
import { getAccount } from '#domain/account/get-account.ts';
import { renameUser } from '#domain/account/rename-user.ts';
import { resetPassword } from '#domain/account/reset-password.ts';
import { verifyEmail } from '#domain/account/verify-email.ts';
import { findPendingEmail } from '#domain/identity/email/find-pending-email.ts';
import { requestEmailChange } from '#domain/identity/email/request-email-change.ts';
import { hashPassword } from '#domain/identity/password/hash-password.ts';
import { requestPasswordReset } from '#domain/identity/password/request-password-reset.ts';
import { day } from '#domain/kernel/time.ts';
import { openTestDatabase } from '#tests/support/database.ts';
import { join, mira, noonMs, otto, register } from './people.ts';

const password = 'a short sentence';
const wanted = 'mira.new@example.org';
const person = async () => ({ ...mira, passwordHash: await hashPassword(password) });
const mailsOf = (db: Database, template: string) =>
  db.read.select().from(mails).where(eq(mails.template, template)).orderBy(mails.id);
const lastChangeToken = async (db: Database) => (await mailsOf(db, 'changeEmail')).at(-1)?.values.token ?? '';

test('A new address takes effect when its link is opened, and the old one is notified before and after', async () => {
  await using db = await openTestDatabase();
  const userId = await join(db, await person());
  const settlement = { userId, email: ` ${wanted.toUpperCase()} `, password };
  expect(await requestEmailChange(db, settlement, noonMs)).toEqual({ ok: true });
  expect(await getAccount(db, { userId })).toMatchObject({ email: mira.email });
  expect(await findPendingEmail(db, { userId }, noonMs + 1)).toBe(wanted);
  const [asked] = await mailsOf(db, 'changeEmail');
  expect(asked).toMatchObject({ recipient: wanted });
  const [warned] = await mailsOf(db, 'emailChangeAsked');
  expect(warned).toMatchObject({ recipient: mira.email, values: { name: mira.name, email: wanted } });
  expect(await verifyEmail(db, { token: asked?.values.token ?? '' }, noonMs + 1)).toMatchObject({ ok: true });
  expect(await getAccount(db, { userId })).toMatchObject({ email: wanted, verified: true });
  expect(await findPendingEmail(db, { userId }, noonMs + 2)).toBeNull();
  const [reported] = await mailsOf(db, 'emailChanged');
  expect(reported).toMatchObject({ recipient: mira.email, values: { email: wanted } });
});

test('A change needs the password, and one’s own address is refused', async () => {
  await using db = await openTestDatabase();
  const userId = await join(db, await person());
  const settlement = { userId, email: wanted, password };
  expect(await requestEmailChange(db, { ...settlement, password: 'wrong' }, noonMs)).toEqual({
    ok: false,
    code: 'passwordWrong',
  });
  expect(await requestEmailChange(db, { ...settlement, email: mira.email.toUpperCase() }, noonMs)).toEqual({
    ok: false,
    code: 'emailUnchanged',
  });
  expect(await mailsOf(db, 'changeEmail')).toEqual([]);
  expect(await mailsOf(db, 'emailChangeAsked')).toEqual([]);
});

test('The link to a mistyped address opens nothing once the right one is asked for', async () => {
  await using db = await openTestDatabase();
  const userId = await register(db, await person());
  const verifyToken = async () => (await mailsOf(db, 'verifyEmail')).at(-1)?.values.token ?? '';
  const mistyped = await verifyToken();
  expect(await requestEmailChange(db, { userId, email: wanted, password }, noonMs)).toEqual({ ok: true });
  expect(await verifyEmail(db, { token: mistyped }, noonMs + 1)).toMatchObject({ ok: false });
  // It was right after all: the other request ends, and another link goes there.
  const back = { userId, email: mira.email.toUpperCase(), password };
  expect(await requestEmailChange(db, back, noonMs + 2)).toEqual({ ok: true });
  expect(await findPendingEmail(db, { userId }, noonMs + 3)).toBeNull();
  expect(await verifyToken()).not.toBe(mistyped);
  expect(await verifyEmail(db, { token: await verifyToken() }, noonMs + 3)).toMatchObject({ ok: true });
  expect(await getAccount(db, { userId })).toMatchObject({ email: mira.email, verified: true });
});

test('A taken address gets the same answer as a free one; its owner is notified, and nobody gets a link', async () => {
  await using db = await openTestDatabase();
  const userId = await join(db, await person());
  await join(db, { ...otto, locale: 'ru' });
  const ask = (email: string) => requestEmailChange(db, { userId, email, password }, noonMs);
  expect(await ask(wanted)).toEqual({ ok: true });
  const free = await lastChangeToken(db);
  expect(await ask(otto.email.toUpperCase())).toEqual({ ok: true });
  expect(await findPendingEmail(db, { userId }, noonMs + 1)).toBe(otto.email);
  expect(await mailsOf(db, 'changeEmail')).toHaveLength(1);
  const reported = await mailsOf(db, 'emailWanted');
  const values = { name: otto.name, email: otto.email };
  expect(reported).toMatchObject([{ recipient: otto.email, locale: 'ru', values }]);
  expect(await mailsOf(db, 'emailChangeAsked')).toMatchObject([
    { recipient: mira.email, values: { email: wanted } },
    { recipient: mira.email, values: { email: otto.email } },
  ]);
  expect(Object.keys(reported[0]?.values ?? {})).toEqual(['name', 'email']);
  expect(await getAccount(db, { userId })).toMatchObject({ email: mira.email });
  expect(await verifyEmail(db, { token: free }, noonMs + 1)).toEqual({ ok: false, code: 'verificationUsed' });
});

test('An address taken meanwhile stays with its new owner', async () => {
  await using db = await openTestDatabase();
  const userId = await register(db, await person());
  await requestEmailChange(db, { userId, email: otto.email, password }, noonMs);
  await register(db, otto);
  const token = await lastChangeToken(db);
  expect(await verifyEmail(db, { token }, noonMs + 1)).toEqual({ ok: false, code: 'emailTaken' });
  expect(await getAccount(db, { userId })).toMatchObject({ email: mira.email });
  expect(await mailsOf(db, 'emailChanged')).toEqual([]);
});

test('A change link works once, for a day, and only until a newer request', async () => {
  await using db = await openTestDatabase();
  const userId = await register(db, await person());
  const ask = () => requestEmailChange(db, { userId, email: wanted, password }, noonMs);
  await ask();
  const older = await lastChangeToken(db);
  await ask();
  const newer = await lastChangeToken(db);
  const open = (token: string, nowMs: number) => verifyEmail(db, { token }, nowMs);
  expect(await open(older, noonMs + 1)).toEqual({ ok: false, code: 'verificationUsed' });
  expect(await open(newer, noonMs + day)).toEqual({ ok: false, code: 'verificationExpired' });
  expect(await open(newer, noonMs + day - 1)).toMatchObject({ ok: true });
  expect(await open(newer, noonMs + day - 1)).toEqual({ ok: false, code: 'verificationUsed' });
});

test('After a change, links sent to the old address are invalid', async () => {
  await using db = await openTestDatabase();
  const userId = await register(db, await person());
  await requestPasswordReset(db, { email: mira.email }, noonMs);
  const [reset] = await mailsOf(db, 'resetPassword');
  const [first] = await mailsOf(db, 'verifyEmail');
  await requestEmailChange(db, { userId, email: wanted, password }, noonMs);
  await verifyEmail(db, { token: await lastChangeToken(db) }, noonMs + 1);
  const link = { email: mira.email, token: reset?.values.token ?? '' };
  const attempt = { ...link, password: 'a newer sentence', site: 'localhost' };
  expect(await resetPassword(db, attempt, noonMs + 2)).toMatchObject({ ok: false });
  expect(await resetPassword(db, { ...attempt, email: wanted }, noonMs + 2)).toMatchObject({ ok: false });
  expect(await verifyEmail(db, { token: first?.values.token ?? '' }, noonMs + 2)).toMatchObject({
    ok: false,
  });
});

test('A name can be changed', async () => {
  await using db = await openTestDatabase();
  const userId = await register(db, mira);
  await renameUser(db, { userId, name: '  Mira the Second ' }, noonMs);
  expect(await getAccount(db, { userId })).toMatchObject({ name: 'Mira the Second' });
});

test('Verifying the address of an account leaves its reset link alone', async () => {
  await using db = await openTestDatabase();
  const userId = await register(db, mira);
  const [first] = await mailsOf(db, 'verifyEmail');
  await requestPasswordReset(db, { email: mira.email }, noonMs);
  const [reset] = await mailsOf(db, 'resetPassword');
  await verifyEmail(db, { token: first?.values.token ?? '' }, noonMs + 1);
  const link = { email: mira.email, token: reset?.values.token ?? '' };
  const settlement = { ...link, password: 'a newer sentence', site: 'localhost' };
  expect(await resetPassword(db, settlement, noonMs + 2)).toEqual({ ok: true, userId });
});
