import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { apiTokens, extensionCodes } from '#db/schema/access.ts';
import { steamAccounts, twitchAccounts } from '#db/schema/account.ts';
import { mails } from '#db/schema/outbox.ts';
import { rules } from '#db/schema/rule.ts';
import { sessions, users } from '#db/schema/user.ts';
import { getAccount } from '#domain/account/get-account.ts';
import { resetPassword } from '#domain/account/reset-password.ts';
import { linkSteam } from '#domain/account/steam/link-steam.ts';
import { signInByTwitch } from '#domain/account/twitch/enter-by-twitch.ts';
import { linkTwitch } from '#domain/account/twitch/link-twitch.ts';
import { verifyEmail } from '#domain/account/verify-email.ts';
import { findApiToken } from '#domain/identity/access/find-api-token.ts';
import { issueApiToken } from '#domain/identity/access/issue-api-token.ts';
import { issueExtensionCode } from '#domain/identity/access/issue-extension-code.ts';
import { redeemExtensionCode } from '#domain/identity/access/redeem-extension-code.ts';
import { requestEmailChange } from '#domain/identity/email/request-email-change.ts';
import { hashPassword } from '#domain/identity/password/hash-password.ts';
import { requestPasswordReset } from '#domain/identity/password/request-password-reset.ts';
import { openSession } from '#domain/identity/session/open-session.ts';
import { openTestDatabase, type TestDatabase } from '#tests/support/database.ts';
import { addRule, addStreamer } from '#tests/support/fixtures.ts';
import {
  extensionCodeOf,
  join,
  mira,
  miraOnTwitch,
  noonMs,
  otto,
  register,
  vault,
  viewerGrant,
} from './people.ts';

const unverified = { ok: false, code: 'unverified' };

/** Older data: everything in this account was created before its address was verified. */
async function unverify(db: TestDatabase, userId: string) {
  await db.transaction(async (tx) => {
    await tx.update(users).set({ emailVerifiedAtMs: null }).where(eq(users.id, userId));
  });
}

async function reset(db: TestDatabase, userId: string) {
  const [user] = await db.read.select().from(users).where(eq(users.id, userId));
  const email = user?.email ?? '';
  await requestPasswordReset(db, { email }, noonMs);
  const [mail] = await db.read.select().from(mails).where(eq(mails.template, 'resetPassword'));
  const link = { email, token: mail?.values.token ?? '' };
  return resetPassword(db, { ...link, password: 'a newer sentence', site: 'localhost' }, noonMs + 1);
}

test('An unverified account gets no code, no token and no linked account', async () => {
  await using db = await openTestDatabase();
  const userId = await register(db, mira);
  expect(await issueExtensionCode(db, { userId }, noonMs)).toEqual(unverified);
  expect(await issueApiToken(db, { userId, name: 'Script' }, noonMs)).toEqual(unverified);
  const link = { vault, userId, person: miraOnTwitch, grant: viewerGrant };
  expect(await linkTwitch(db, link, noonMs)).toEqual(unverified);
  expect(await linkSteam(db, { userId, steamId: '76561197960266729' }, noonMs)).toEqual(unverified);
  for (const table of [extensionCodes, apiTokens, twitchAccounts, steamAccounts])
    expect(await db.read.select().from(table)).toEqual([]);
});

test('Mail to an address that nobody has verified contains nothing that its user wrote', async () => {
  await using db = await openTestDatabase();
  const lure = 'You won! Go to https://evil.example';
  const password = 'a short sentence';
  const squatter = { ...mira, name: lure, passwordHash: await hashPassword(password) };
  const userId = await register(db, squatter);
  await requestPasswordReset(db, mira, noonMs);
  const ottoId = await join(db, { ...otto, name: lure, passwordHash: squatter.passwordHash });
  // To the squatted address, from the squatter's account and from another; and from there to a new one.
  await requestEmailChange(db, { userId: ottoId, email: mira.email, password }, noonMs);
  const change = { userId, email: 'go-to-evil@example.org', password };
  await requestEmailChange(db, change, noonMs);
  const sent = await db.read.select().from(mails).where(eq(mails.recipient, mira.email));
  const templates = sent.map(({ template }) => template).sort();
  expect(templates).toEqual(['emailWanted', 'resetPassword', 'verifyEmail']);
  for (const { values } of sent) {
    expect(values).not.toHaveProperty('name');
    expect(JSON.stringify(values)).not.toContain('evil');
  }
  const [asked] = await db.read.select().from(mails).where(eq(mails.template, 'changeEmail'));
  expect(JSON.stringify(asked?.values)).not.toContain(lure);
  await verifyEmail(db, { token: asked?.values.token ?? '' }, noonMs + 1);
  expect(await db.read.select().from(mails).where(eq(mails.template, 'emailChanged'))).toEqual([]);
});

test('An older code of an unverified account is invalid', async () => {
  await using db = await openTestDatabase();
  const userId = await join(db, mira);
  const { code } = await extensionCodeOf(db, userId, noonMs);
  await unverify(db, userId);
  const redeem = () => redeemExtensionCode(db, { code, device: 'Demo phone' }, noonMs);
  expect(await redeem()).toEqual({ ok: false, code: 'extensionCodeUnknown' });
});

test('A reset that verifies the address removes all access of the account’s previous holder', async () => {
  await using db = await openTestDatabase();
  const userId = await join(db, { ...mira, passwordHash: null as never });
  const link = { vault, userId, person: miraOnTwitch, grant: viewerGrant };
  await linkTwitch(db, link, noonMs);
  await linkSteam(db, { userId, steamId: '76561197960266729' }, noonMs);
  const key = await issueApiToken(db, { userId, name: 'Script' }, noonMs);
  const { code } = await extensionCodeOf(db, userId, noonMs);
  await openSession(db, { userId, userAgent: '' }, noonMs);
  await requestEmailChange(db, { userId, email: 'thief@example.org', password: '' }, noonMs);
  const [change] = await db.read.select().from(mails).where(eq(mails.template, 'changeEmail'));
  await unverify(db, userId);

  expect(await reset(db, userId)).toEqual({ ok: true, userId });
  expect(await getAccount(db, { userId })).toMatchObject({ verified: true, twitch: null, steam: null });
  expect(await findApiToken(db, { token: key.ok ? key.token : '' }, noonMs + 2)).toBeNull();
  expect(await redeemExtensionCode(db, { code, device: 'Phone' }, noonMs + 2)).toMatchObject({ ok: false });
  expect(await signInByTwitch(db, link, noonMs + 2)).toEqual({ ok: false, code: 'twitchUnknown' });
  expect(await db.read.select().from(sessions)).toEqual([]);
  expect(await verifyEmail(db, { token: change?.values.token ?? '' }, noonMs + 2)).toEqual({
    ok: false,
    code: 'verificationUsed',
  });
});

test('Rules of a link removed by such a reset are paused', async () => {
  await using db = await openTestDatabase();
  const streamer = await addStreamer(db);
  await addRule(db, streamer, { rewards: 0 });
  await unverify(db, streamer.userId);
  await reset(db, streamer.userId);
  expect(await db.read.select().from(rules)).toMatchObject([
    { state: 'paused', pauseReason: 'lostPermission' },
  ]);
});

test('A reset of a verified account ends its tokens and codes, and keeps its links', async () => {
  await using db = await openTestDatabase();
  const userId = await join(db, mira);
  await linkTwitch(db, { vault, userId, person: miraOnTwitch, grant: viewerGrant }, noonMs);
  await linkSteam(db, { userId, steamId: '76561197960266729' }, noonMs);
  await issueApiToken(db, { userId, name: 'Script' }, noonMs);
  await extensionCodeOf(db, userId, noonMs);
  await reset(db, userId);
  for (const table of [apiTokens, extensionCodes]) expect(await db.read.select().from(table)).toEqual([]);
  expect(await getAccount(db, { userId })).toMatchObject({
    twitch: { id: '4001' },
    steam: { steamId: '76561197960266729' },
  });
});
