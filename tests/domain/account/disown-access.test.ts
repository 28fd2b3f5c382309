import { and, eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { accessRequests, apiTokens, extensionCodes } from '#db/schema/access.ts';
import { events } from '#db/schema/outbox.ts';
import { authenticators, pendingSignIns } from '#db/schema/second-factor.ts';
import { emailTokens, sessions, users } from '#db/schema/user.ts';
import { disownAccess, findDisownLink } from '#domain/account/disown-access.ts';
import { verifyEmail } from '#domain/account/verify-email.ts';
import { decideAccessRequest } from '#domain/identity/access/decide-access-request.ts';
import { issueApiToken } from '#domain/identity/access/issue-api-token.ts';
import { requestAccess } from '#domain/identity/access/request-access.ts';
import { hashOf } from '#domain/identity/access/secret-token.ts';
import { requestEmailChange } from '#domain/identity/email/request-email-change.ts';
import { notifyOfChange } from '#domain/identity/notify-of-change.ts';
import { hashPassword } from '#domain/identity/password/hash-password.ts';
import { beginAuthenticator } from '#domain/identity/second-factor/begin-authenticator.ts';
import { openSession } from '#domain/identity/session/open-session.ts';
import { day } from '#domain/kernel/time.ts';
import type { AccountChange } from '#domain/outbox/queue-mail.ts';
import { findOverlayOf } from '#domain/overlay/overlay.ts';
import { openOverlay } from '#domain/overlay/set-overlay.ts';
import { openTestDatabase, type TestDatabase } from '#tests/support/database.ts';
import { extensionCodeOf, join, mailedTokens, mira, noonMs, otto, register } from './people.ts';

const bad = { ok: false, code: 'disownLinkBad' };

/** The token of the link in a mail about this change. */
async function link(
  db: TestDatabase,
  userId: string,
  { change = 'sessionGives', nowMs = noonMs }: { change?: AccountChange; nowMs?: number } = {},
): Promise<string> {
  await db.transaction((tx) => notifyOfChange(tx, { userId, change }, nowMs));
  return (await mailedTokens(db, mira.email)).at(-1) ?? '';
}

const signIn = (db: TestDatabase, userId: string) => openSession(db, { userId, userAgent: 'Demo' }, noonMs);

const access = async (db: TestDatabase, userId: string) => {
  const counts: Record<string, number> = {};
  for (const [name, table] of Object.entries({
    sessions,
    apiTokens,
    extensionCodes,
    accessRequests,
    pendingSignIns,
    authenticators,
  }))
    counts[name] = await db.read.$count(table, eq(table.userId, userId));
  return counts;
};
const none = {
  ...{ sessions: 0, apiTokens: 0, extensionCodes: 0, accessRequests: 0 },
  ...{ pendingSignIns: 0, authenticators: 0 },
};

/** Two sessions, one API token, and whatever else could still become access. */
async function giveAccess(db: TestDatabase, userId: string): Promise<void> {
  const { token } = await signIn(db, userId);
  await signIn(db, userId);
  await issueApiToken(db, { userId, name: 'Script' }, noonMs);
  await extensionCodeOf(db, userId, noonMs);
  const { userCode } = await requestAccess(db, { program: 'Demo speaker' }, noonMs);
  await decideAccessRequest(db, { userId, userCode, isAllowed: true }, noonMs);
  await beginAuthenticator(db, { userId, currentToken: token }, noonMs);
  await db.transaction((tx) =>
    tx
      .insert(pendingSignIns)
      .values({ tokenHash: `pending of ${userId}`, userId, expiresAtMs: noonMs + day }),
  );
}

test('The link ends every way into the account, and nobody else’s', async () => {
  await using db = await openTestDatabase();
  const [userId, other] = [await join(db, mira), await join(db, otto)];
  for (const id of [userId, other]) await giveAccess(db, id);
  const before = await access(db, other);
  expect(Object.values(before).every((count) => count > 0)).toBe(true);
  const token = await link(db, userId);
  await db.transaction((tx) => tx.delete(events));
  expect(await disownAccess(db, { token }, noonMs + day)).toEqual({
    ok: true,
    sessions: 2,
    tokens: 1,
    frozenRules: 0,
  });
  expect(await access(db, userId)).toEqual(none);
  expect(await access(db, other)).toEqual(before);
  expect(await db.read.select().from(events)).toMatchObject([{ userId, kind: 'account.changed' }]);
});

test('The link replaces the addresses of an overlay and its dock, and nobody else’s', async () => {
  await using db = await openTestDatabase();
  const [userId, other] = [await join(db, mira), await join(db, otto)];
  for (const id of [userId, other]) await openOverlay(db, { userId: id, locale: 'en' }, noonMs);
  const [before, others] = [await findOverlayOf(db.read, userId), await findOverlayOf(db.read, other)];
  await disownAccess(db, { token: await link(db, userId) }, noonMs);
  const after = await findOverlayOf(db.read, userId);
  for (const door of ['overlay', 'dock'] as const) expect(after?.hashes[door]).not.toBe(before?.hashes[door]);
  expect(await findOverlayOf(db.read, other)).toEqual(others);
  const reported = await db.read.select().from(events).where(eq(events.kind, 'overlay.changed'));
  expect(reported).toMatchObject([{ userId }]);
});

test('A link works once, and those of other mails stay', async () => {
  await using db = await openTestDatabase();
  const userId = await join(db, mira);
  const [one, other] = [await link(db, userId), await link(db, userId, { change: 'tokenIssued' })];
  expect(await disownAccess(db, { token: one }, noonMs)).toMatchObject({ ok: true });
  await signIn(db, userId);
  expect(await findDisownLink(db.read, { token: one }, noonMs)).toBeNull();
  expect(await disownAccess(db, { token: one }, noonMs)).toEqual(bad);
  expect(await access(db, userId)).toEqual({ ...none, sessions: 1 });
  expect(await findDisownLink(db.read, { token: other }, noonMs)).toMatchObject({ userId });
  expect(await disownAccess(db, { token: other }, noonMs)).toMatchObject({ sessions: 1, tokens: 0 });
});

test('Pressing twice at once ends access once', async () => {
  await using db = await openTestDatabase();
  const userId = await join(db, mira);
  const token = await link(db, userId);
  const outcomes = await Promise.all([
    disownAccess(db, { token }, noonMs),
    disownAccess(db, { token }, noonMs),
  ]);
  expect(outcomes.map(({ ok }) => ok).toSorted()).toEqual([false, true]);
});

test('Links last seven days; made-up ones and links for something else end nothing', async () => {
  await using db = await openTestDatabase();
  const userId = await join(db, mira);
  const token = await link(db, userId);
  await signIn(db, userId);
  expect(await disownAccess(db, { token }, noonMs + 7 * day)).toEqual(bad);
  const [verification = ''] = await mailedTokens(db, mira.email);
  for (const wrong of ['', 'made up', verification])
    expect(await disownAccess(db, { token: wrong }, noonMs)).toEqual(bad);
  expect(await access(db, userId)).toEqual({ ...none, sessions: 1 });
  expect(await disownAccess(db, { token }, noonMs + 7 * day - 1)).toMatchObject({ ok: true });
});

test('Looking at a link does not use it, and the table holds only its hash', async () => {
  await using db = await openTestDatabase();
  const userId = await join(db, mira);
  const token = await link(db, userId);
  for (let looks = 0; looks < 2; looks++)
    expect(await findDisownLink(db.read, { token }, noonMs)).toEqual({
      userId,
      email: mira.email,
      actAtMs: noonMs,
    });
  const [stored] = await db.read
    .select()
    .from(emailTokens)
    .where(and(eq(emailTokens.purpose, 'disown'), eq(emailTokens.userId, userId)));
  expect(stored).toMatchObject({ tokenHash: hashOf(token), expiresAtMs: noonMs + 7 * day, usedAtMs: null });
});

test('An address that somebody else is changing stays: its link ends, and this one outlives a change', async () => {
  await using db = await openTestDatabase();
  const password = 'a short sentence';
  const userId = await join(db, { ...mira, passwordHash: await hashPassword(password) });
  const change = async (email: string) => {
    await requestEmailChange(db, { userId, email, password }, noonMs);
    return (await mailedTokens(db, email)).at(-1) ?? '';
  };
  const [first, second] = [await link(db, userId), await link(db, userId)];
  const begun = await change('thief@example.org');
  await disownAccess(db, { token: first }, noonMs);
  expect(await verifyEmail(db, { token: begun }, noonMs)).toMatchObject({ ok: false });
  const confirmed = await change('other-thief@example.org');
  expect(await verifyEmail(db, { token: confirmed }, noonMs)).toMatchObject({ ok: true });
  await signIn(db, userId);
  expect(await disownAccess(db, { token: second }, noonMs)).toMatchObject({ ok: true, sessions: 1 });
});

test('The owner is sent a link with each change but the operator’s, and an unverified address none', async () => {
  await using db = await openTestDatabase();
  const userId = await join(db, mira);
  expect(await link(db, userId, { change: 'secondFactorRemoved' })).toBe('');
  expect(await link(db, userId, { change: 'returnElsewhere' })).not.toBe('');
  const unverified = await register(db, otto);
  await db.transaction((tx) => notifyOfChange(tx, { userId: unverified, change: 'tokenIssued' }, noonMs));
  const isOtto = and(eq(emailTokens.userId, unverified), eq(emailTokens.purpose, 'disown'));
  expect(await db.read.$count(emailTokens, isOtto)).toBe(0);
});

test('A deleted account has no links', async () => {
  await using db = await openTestDatabase();
  const userId = await join(db, mira);
  const token = await link(db, userId);
  await db.transaction((tx) => tx.update(users).set({ deletedAtMs: noonMs }).where(eq(users.id, userId)));
  expect(await disownAccess(db, { token }, noonMs)).toEqual(bad);
});
