import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { isKeyOfDatabase } from '#db/engine/prove-key.ts';
import { beginAuthenticator } from '#domain/identity/second-factor/begin-authenticator.ts';
import { createVault } from '#platform/vault.ts';
import { join, mira, noonMs } from '#tests/domain/account/people.ts';
import { openTestDatabase, testVault } from '#tests/support/database.ts';

test('The secret of an authenticator app alone tells the key of a store from another', async () => {
  await using db = await openTestDatabase();
  const other = createVault(randomBytes(32).toString('base64'));
  expect(await isKeyOfDatabase(db, other)).toBe(true);
  const userId = await join(db, mira);
  await beginAuthenticator(db, { userId, currentToken: '' }, noonMs);
  expect(await isKeyOfDatabase(db, other)).toBe(false);
  expect(await isKeyOfDatabase(db, testVault)).toBe(true);
});
