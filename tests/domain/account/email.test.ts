import fc from 'fast-check';
import { expect, test } from 'vitest';
import { emailTokens, users } from '#db/schema/user.ts';
import { getAccount } from '#domain/account/get-account.ts';
import { registerUser } from '#domain/account/register-user.ts';
import { verifyEmail } from '#domain/account/verify-email.ts';
import { resendVerification } from '#domain/identity/email/resend-verification.ts';
import { day } from '#domain/kernel/time.ts';
import { openTestDatabase } from '#tests/support/database.ts';
import { mailedTokens, mira, noonMs, otto, register } from './people.ts';

test('A new account is unverified, and its mail has a link that verifies it', async () => {
  await using db = await openTestDatabase();
  const userId = await register(db, mira);
  expect(await getAccount(db, { userId })).toMatchObject({
    name: 'Mira',
    email: mira.email,
    verified: false,
  });
  const [token = ''] = await mailedTokens(db, mira.email);
  expect(await verifyEmail(db, { token }, noonMs + 1)).toEqual({ ok: true, userId });
  expect(await getAccount(db, { userId })).toMatchObject({ verified: true });
});

test('The database contains no usable link', async () => {
  await using db = await openTestDatabase();
  await register(db, mira);
  const [token = ''] = await mailedTokens(db, mira.email);
  const [row] = await db.read.select().from(emailTokens);
  expect(row?.tokenHash).toBeTruthy();
  expect(JSON.stringify(row)).not.toContain(token);
});

test('An address has one account, whatever its letter case', async () => {
  await using db = await openTestDatabase();
  await register(db, mira);
  for (const email of ['mira@example.org', 'MIRA@Example.ORG', '  Mira@example.org '])
    expect(await registerUser(db, { ...mira, email }, noonMs)).toEqual({ ok: false, code: 'emailTaken' });
  expect(await mailedTokens(db, mira.email)).toHaveLength(1);
});

test('Addresses that differ only in letter case are the same address', async () => {
  await using db = await openTestDatabase();
  let round = 0;
  const local = fc.stringMatching(/^[a-z]{1,12}$/);
  await fc.assert(
    fc.asyncProperty(local, fc.array(fc.boolean(), { minLength: 12, maxLength: 12 }), async (name, upper) => {
      const email = `${name}${++round}@example.org`;
      await register(db, { ...mira, email });
      const other = [...email].map((letter, at) => (upper[at] ? letter.toUpperCase() : letter)).join('');
      expect(await registerUser(db, { ...mira, email: other }, noonMs)).toEqual({
        ok: false,
        code: 'emailTaken',
      });
    }),
    { numRuns: 25 },
  );
});

test('Of concurrent registrations exactly one creates an account and queues one mail', async () => {
  await using db = await openTestDatabase();
  const outcomes = await Promise.all(
    [1, 2, 3, 4, 5].map((n) =>
      registerUser(db, { ...mira, email: n % 2 ? mira.email : 'MIRA@example.org' }, noonMs),
    ),
  );
  expect(outcomes.filter((outcome) => outcome.ok)).toHaveLength(1);
  expect(await db.read.select().from(users)).toHaveLength(1);
  expect(await mailedTokens(db, mira.email)).toHaveLength(1);
});

test('A verification link works once', async () => {
  await using db = await openTestDatabase();
  await register(db, mira);
  const [token = ''] = await mailedTokens(db, mira.email);
  const outcomes = await Promise.all([
    verifyEmail(db, { token }, noonMs),
    verifyEmail(db, { token }, noonMs),
  ]);
  expect(outcomes.map((outcome) => (outcome.ok ? 'verified' : outcome.code)).sort()).toEqual([
    'verificationUsed',
    'verified',
  ]);
});

test('A verification link expires after 24 hours', async () => {
  await using db = await openTestDatabase();
  const userId = await register(db, mira);
  await register(db, otto);
  const [late = ''] = await mailedTokens(db, mira.email);
  const [justInTime = ''] = await mailedTokens(db, otto.email);
  expect(await verifyEmail(db, { token: late }, noonMs + day)).toEqual({
    ok: false,
    code: 'verificationExpired',
  });
  expect(await getAccount(db, { userId })).toMatchObject({ verified: false });
  expect(await verifyEmail(db, { token: justInTime }, noonMs + day - 1)).toMatchObject({ ok: true });
});

test('A forged link verifies nothing', async () => {
  await using db = await openTestDatabase();
  await register(db, mira);
  const [row] = await db.read.select().from(emailTokens);
  for (const token of ['', 'x', row?.tokenHash ?? ''])
    expect(await verifyEmail(db, { token }, noonMs)).toEqual({ ok: false, code: 'verificationUnknown' });
});

test('A resent link works, and so does the first one, until either was used', async () => {
  await using db = await openTestDatabase();
  const userId = await register(db, mira);
  expect(await resendVerification(db, { userId }, noonMs + 1000)).toEqual({ ok: true });
  const [first = '', second = ''] = await mailedTokens(db, mira.email);
  expect(first).not.toBe(second);
  expect(await verifyEmail(db, { token: first }, noonMs + 2000)).toMatchObject({ ok: true });
  expect(await verifyEmail(db, { token: second }, noonMs + 2000)).toEqual({
    ok: false,
    code: 'verificationUsed',
  });
  expect(await resendVerification(db, { userId }, noonMs + 3000)).toEqual({
    ok: false,
    code: 'alreadyVerified',
  });
});
