import { expect, test } from 'vitest';
import { chatAccounts } from '#db/schema/account.ts';
import { connectChatAccount } from '#domain/account/twitch/connect-chat-account.ts';
import { updateChatTokens } from '#domain/account/twitch/update-chat-tokens.ts';
import { openTestDatabase, type TestDatabase } from '#tests/support/database.ts';
import { miraOnTwitch, noonMs, ottoOnTwitch, vault, viewerGrant } from './people.ts';

const fresh = { ...viewerGrant, accessToken: 'fresh', obtainedAtMs: noonMs + 1 };
const refresh = (db: TestDatabase, facts: Partial<Parameters<typeof updateChatTokens>[1]> = {}) =>
  updateChatTokens(db, {
    vault,
    twitchId: miraOnTwitch.twitchId,
    grant: fresh,
    replacesObtainedAtMs: noonMs,
    ...facts,
  });
const stored = async (db: TestDatabase) =>
  Object.fromEntries(
    (await db.read.select().from(chatAccounts)).map((row) => [
      row.login,
      { token: vault.open(row.accessTokenSealed, `chat:${row.twitchId}`), broken: row.broken },
    ]),
  );

async function withChatAccounts(db: TestDatabase): Promise<void> {
  for (const { twitchId, login } of [miraOnTwitch, ottoOnTwitch])
    await connectChatAccount(db, { vault, twitchId, login, grant: viewerGrant });
}

test('Refreshed tokens replace those that they were obtained with, of one account', async () => {
  await using db = await openTestDatabase();
  await withChatAccounts(db);
  expect(await refresh(db)).toEqual({ ok: true });
  expect(await stored(db)).toEqual({
    mira_plays: { token: 'fresh', broken: false },
    otto_live: { token: 'access-viewer', broken: false },
  });
});

test('A grant that was renewed meanwhile stays as it is', async () => {
  await using db = await openTestDatabase();
  await withChatAccounts(db);
  await refresh(db);
  const replaced = { ok: false, code: 'twitchGrantReplaced' };
  expect(await refresh(db, { grant: { ...fresh, accessToken: 'late' } })).toEqual(replaced);
  expect(await refresh(db, { grant: null })).toEqual(replaced);
  expect((await stored(db)).mira_plays).toEqual({ token: 'fresh', broken: false });
});

test('A revoked grant marks its own account only', async () => {
  await using db = await openTestDatabase();
  await withChatAccounts(db);
  expect(await refresh(db, { grant: null })).toEqual({ ok: true });
  expect(await stored(db)).toMatchObject({ mira_plays: { broken: true }, otto_live: { broken: false } });
});
