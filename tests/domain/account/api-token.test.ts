import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { apiTokens } from '#db/schema/access.ts';
import { users } from '#db/schema/user.ts';
import { findApiToken } from '#domain/identity/access/find-api-token.ts';
import { issueApiToken, MAX_API_TOKENS } from '#domain/identity/access/issue-api-token.ts';
import { listApiTokens } from '#domain/identity/access/list-api-tokens.ts';
import { redeemExtensionCode } from '#domain/identity/access/redeem-extension-code.ts';
import { revokeApiToken } from '#domain/identity/access/revoke-api-token.ts';
import { minute } from '#domain/kernel/time.ts';
import { openTestDatabase, type TestDatabase } from '#tests/support/database.ts';
import { extensionCodeOf, join, mira, noonMs, otto } from './people.ts';

async function issue(db: TestDatabase, userId: string, name = 'My script') {
  const issued = await issueApiToken(db, { userId, name }, noonMs);
  if (!issued.ok) throw new Error(issued.code);
  return issued;
}

test('A token finds its owner, and the database contains only its hash', async () => {
  await using db = await openTestDatabase();
  const userId = await join(db, mira);
  const { token, tokenId } = await issue(db, userId);
  expect(token).toMatch(/^keepsake_[\w-]{43}$/);
  expect(await findApiToken(db, { token }, noonMs)).toEqual({ userId, tokenId });
  const [row] = await db.read.select().from(apiTokens);
  expect(JSON.stringify(row)).not.toContain(token.slice(9));
  expect(await findApiToken(db, { token: row?.tokenHash ?? '' }, noonMs)).toBeNull();
  expect(await findApiToken(db, { token: `${token}x` }, noonMs)).toBeNull();
});

test('The list shows when a token was last used, to the minute', async () => {
  await using db = await openTestDatabase();
  const userId = await join(db, mira);
  const { token, tokenId } = await issue(db, userId, ' Stream deck ');
  const lastUse = async () => (await listApiTokens(db, { userId }))[0]?.lastUsedAtMs;
  expect(await listApiTokens(db, { userId })).toEqual([
    { id: tokenId, name: 'Stream deck', createdAtMs: noonMs, lastUsedAtMs: null },
  ]);
  await findApiToken(db, { token }, noonMs + 1);
  await findApiToken(db, { token }, noonMs + minute);
  expect(await lastUse()).toBe(noonMs + 1);
  await findApiToken(db, { token }, noonMs + 1 + minute);
  expect(await lastUse()).toBe(noonMs + 1 + minute);
});

test('Each token has its own last use, and the token of a deleted account finds nobody', async () => {
  await using db = await openTestDatabase();
  const userId = await join(db, mira);
  const [used, idle] = [await issue(db, userId, 'Used'), await issue(db, userId, 'Idle')];
  await findApiToken(db, used, noonMs);
  const uses = (await listApiTokens(db, { userId })).map(({ name, lastUsedAtMs }) => [name, lastUsedAtMs]);
  expect(Object.fromEntries(uses)).toEqual({ Used: noonMs, Idle: null });
  await db.transaction(async (tx) => {
    await tx.update(users).set({ deletedAtMs: noonMs }).where(eq(users.id, userId));
  });
  expect(await findApiToken(db, idle, noonMs)).toBeNull();
});

test('Only its owner can revoke a token, which is then invalid', async () => {
  await using db = await openTestDatabase();
  const [userId, stranger] = [await join(db, mira), await join(db, otto)];
  const { token, tokenId } = await issue(db, userId);
  const unknown = { ok: false, code: 'tokenUnknown' };
  expect(await revokeApiToken(db, { userId: stranger, tokenId })).toEqual(unknown);
  expect(await findApiToken(db, { token }, noonMs)).not.toBeNull();
  expect(await revokeApiToken(db, { userId, tokenId })).toEqual({ ok: true });
  expect(await findApiToken(db, { token }, noonMs)).toBeNull();
  expect(await revokeApiToken(db, { userId, tokenId })).toEqual(unknown);
});

test('The number of tokens per account is limited, also for concurrent requests', async () => {
  await using db = await openTestDatabase();
  const userId = await join(db, mira);
  const asked = Array.from({ length: MAX_API_TOKENS + 3 }, (_, number) =>
    issueApiToken(db, { userId, name: `Program ${number}` }, noonMs),
  );
  const refused = (await Promise.all(asked)).filter((outcome) => !outcome.ok);
  expect(refused).toEqual(Array(3).fill({ ok: false, code: 'tooManyTokens' }));
  expect(await listApiTokens(db, { userId })).toHaveLength(MAX_API_TOKENS);
});

test('A code is exchanged once for a token named after the device, however it is typed', async () => {
  await using db = await openTestDatabase();
  const userId = await join(db, mira);
  const { code, expiresAtMs } = await extensionCodeOf(db, userId, noonMs);
  expect(code).toMatch(/^[A-Z2-9]{4}-[A-Z2-9]{4}-[A-Z2-9]{4}$/);
  expect(expiresAtMs).toBe(noonMs + 10 * minute);
  const typed = ` ${code.toLowerCase().replaceAll('-', ' ')}`;
  const redeemed = await redeemExtensionCode(db, { code: typed, device: 'Demo phone' }, noonMs + 1);
  expect(redeemed).toMatchObject({ ok: true, userId });
  const token = redeemed.ok ? redeemed.token : '';
  expect(await findApiToken(db, { token }, noonMs + 1)).toMatchObject({ userId });
  expect((await listApiTokens(db, { userId })).map(({ name }) => name)).toEqual(['Demo phone']);
  const again = await redeemExtensionCode(db, { code, device: 'Demo phone' }, noonMs + 2);
  expect(again).toEqual({ ok: false, code: 'extensionCodeUnknown' });
});

test('Of two devices that use a code at once, one gets a token', async () => {
  await using db = await openTestDatabase();
  const userId = await join(db, mira);
  const { code } = await extensionCodeOf(db, userId, noonMs);
  const both = await Promise.all(
    ['one', 'two'].map((device) => redeemExtensionCode(db, { code, device }, noonMs)),
  );
  expect(both.filter(({ ok }) => ok)).toHaveLength(1);
  expect(await listApiTokens(db, { userId })).toHaveLength(1);
});

test('A forged, replaced or 10 minutes old code gets the same refusal', async () => {
  await using db = await openTestDatabase();
  const userId = await join(db, mira);
  const first = await extensionCodeOf(db, userId, noonMs);
  const second = await extensionCodeOf(db, userId, noonMs + 1);
  const redeem = (code: string, nowMs: number) =>
    redeemExtensionCode(db, { code, device: 'Demo phone' }, nowMs);
  const refused = { ok: false, code: 'extensionCodeUnknown' };
  expect(await redeem('AAAA-BBBB-CCCC', noonMs + 2)).toEqual(refused);
  expect(await redeem(first.code, noonMs + 2)).toEqual(refused);
  expect(await redeem(second.code, second.expiresAtMs)).toEqual(refused);
  expect(await redeem(second.code, second.expiresAtMs - 1)).toMatchObject({ ok: true });
});

test('A code stays valid when the account already has the maximum number of tokens', async () => {
  await using db = await openTestDatabase();
  const userId = await join(db, mira);
  for (let number = 0; number < MAX_API_TOKENS; number++) await issue(db, userId, `Program ${number}`);
  const { code } = await extensionCodeOf(db, userId, noonMs);
  const redeem = () => redeemExtensionCode(db, { code, device: 'Demo phone' }, noonMs);
  expect(await redeem()).toEqual({ ok: false, code: 'tooManyTokens' });
  const [oldest] = (await listApiTokens(db, { userId })).slice(-1);
  await revokeApiToken(db, { userId, tokenId: oldest?.id ?? '' });
  expect(await redeem()).toMatchObject({ ok: true });
});
