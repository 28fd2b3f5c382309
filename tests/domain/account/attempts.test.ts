import { expect, test } from 'vitest';
import { attempts, extensionCodes, spentCaptchas } from '#db/schema/access.ts';
import { mails } from '#db/schema/outbox.ts';
import { emailTokens, sessions, users } from '#db/schema/user.ts';
import { registerUser } from '#domain/account/register-user.ts';
import { clearAttempts, countAttempt, returnAttempts } from '#domain/identity/access/attempts.ts';
import { pruneAccess } from '#domain/identity/access/prune-access.ts';
import { openSession } from '#domain/identity/session/open-session.ts';
import { day, minute } from '#domain/kernel/time.ts';
import { openTestDatabase } from '#tests/support/database.ts';
import { extensionCodeOf, join, mira, noonMs, otto, register } from './people.ts';

const limit = { key: 'signIn:someone', max: 3, windowMs: 10 * minute };

test('After the maximum number of attempts the rest of the window is blocked, and then it starts again', async () => {
  await using db = await openTestDatabase();
  for (let tried = 0; tried < 3; tried++)
    expect(await countAttempt(db, limit, noonMs + tried)).toEqual({ waitMs: 0 });
  expect(await countAttempt(db, limit, noonMs + 3)).toEqual({ waitMs: 10 * minute - 3 });
  expect(await countAttempt(db, limit, noonMs + 10 * minute - 1)).toEqual({ waitMs: 1 });
  expect(await countAttempt(db, limit, noonMs + 10 * minute)).toEqual({ waitMs: 0 });
  expect(await countAttempt(db, { ...limit, key: 'signIn:another' }, noonMs)).toEqual({ waitMs: 0 });
});

test('Concurrent attempts do not exceed the limit', async () => {
  await using db = await openTestDatabase();
  const answers = await Promise.all(Array.from({ length: 12 }, () => countAttempt(db, limit, noonMs)));
  expect(answers.filter(({ waitMs }) => waitMs === 0)).toHaveLength(3);
});

test('Success resets the attempts', async () => {
  await using db = await openTestDatabase();
  for (let tried = 0; tried < 4; tried++) await countAttempt(db, limit, noonMs);
  expect(await clearAttempts(db, limit, noonMs)).toEqual({ count: 4 });
  expect(await countAttempt(db, limit, noonMs)).toEqual({ waitMs: 0 });
  // Attempts of a past window no longer count.
  expect(await clearAttempts(db, limit, noonMs + limit.windowMs)).toEqual({ count: 0 });
  expect(await clearAttempts(db, limit, noonMs)).toEqual({ count: 0 });
});

test('Attempts that were right are taken back, never more than there are', async () => {
  await using db = await openTestDatabase();
  for (let tried = 0; tried < 3; tried++) await countAttempt(db, limit, noonMs);
  await returnAttempts(db, { ...limit, count: 1 });
  expect(await countAttempt(db, limit, noonMs)).toEqual({ waitMs: 0 });
  // Only the first of several refused attempts counts.
  for (let refused = 0; refused < 5; refused++)
    expect(await countAttempt(db, limit, noonMs)).toEqual({ waitMs: limit.windowMs });
  await returnAttempts(db, { ...limit, count: 2 });
  expect(await countAttempt(db, limit, noonMs)).toEqual({ waitMs: 0 });
  expect(await countAttempt(db, limit, noonMs)).toEqual({ waitMs: limit.windowMs });
  await returnAttempts(db, { ...limit, count: 9 });
  for (let tried = 0; tried < 3; tried++)
    expect(await countAttempt(db, limit, noonMs)).toEqual({ waitMs: 0 });
  expect(await countAttempt(db, limit, noonMs)).toEqual({ waitMs: limit.windowMs });
});

test('A captcha solution works for one registration, and a refused one leaves nothing behind', async () => {
  await using db = await openTestDatabase();
  const captcha = { solutionHash: 'a solution', expiresAtMs: noonMs + minute };
  expect(await registerUser(db, { ...mira, captcha }, noonMs)).toMatchObject({ ok: true });
  expect(await registerUser(db, { ...otto, captcha }, noonMs)).toEqual({ ok: false, code: 'captchaSpent' });
  expect(await db.read.select().from(users)).toHaveLength(1);
  expect(await db.read.select().from(mails)).toHaveLength(1);
});

test('Learning that an address has an account costs a captcha solution each time', async () => {
  await using db = await openTestDatabase();
  await register(db, mira);
  const captcha = { solutionHash: 'a solution', expiresAtMs: noonMs + minute };
  const ask = () => registerUser(db, { ...mira, captcha }, noonMs);
  expect(await ask()).toEqual({ ok: false, code: 'emailTaken' });
  expect(await ask()).toEqual({ ok: false, code: 'captchaSpent' });
});

test('Expired entries are deleted, and no others', async () => {
  await using db = await openTestDatabase();
  const userId = await register(db, mira);
  await openSession(db, { userId, userAgent: '' }, noonMs);
  await countAttempt(db, limit, noonMs);
  await registerUser(db, { ...otto, captcha: { solutionHash: 'x', expiresAtMs: noonMs + minute } }, noonMs);
  const count = async () => [
    (await db.read.select().from(attempts)).length,
    (await db.read.select().from(spentCaptchas)).length,
    (await db.read.select().from(sessions)).length,
    (await db.read.select().from(emailTokens)).length,
    (await db.read.select().from(mails)).length,
  ];
  await pruneAccess(db, noonMs, noonMs);
  expect(await count()).toEqual([1, 1, 1, 2, 2]);
  await pruneAccess(db, noonMs, noonMs + 11 * minute);
  expect(await count()).toEqual([0, 0, 1, 2, 2]);
  await pruneAccess(db, noonMs + 32 * day, noonMs);
  expect(await count()).toEqual([0, 0, 0, 0, 0]);
});

test('A companion app code is stored for a month after it expired, by whichever clock is behind', async () => {
  await using db = await openTestDatabase();
  const { expiresAtMs } = await extensionCodeOf(db, await join(db, mira), noonMs);
  const left = async (nowMs: number, systemMs: number) => {
    await pruneAccess(db, nowMs, systemMs);
    return (await db.read.select().from(extensionCodes)).length;
  };
  const dueMs = expiresAtMs + 30 * day;
  expect(await left(dueMs, dueMs)).toBe(1);
  expect(await left(dueMs + 1, dueMs)).toBe(1);
  expect(await left(dueMs, dueMs + 1)).toBe(1);
  expect(await left(dueMs + 1, dueMs + 1)).toBe(0);
});
