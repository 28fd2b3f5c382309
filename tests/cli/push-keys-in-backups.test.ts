import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openSqlite } from '#db/database.ts';
import { sealColumnsWith } from '#db/engine/sealed-text.ts';
import { ensurePushKeys, findPushKeys } from '#domain/push/push-keys.ts';
import { createVault } from '#platform/vault.ts';
import { BetterSqlite } from '#tests/support/better-sqlite.ts';
import { testVault } from '#tests/support/database.ts';
import { InstanceFolder } from '#tests/support/instance-folder.ts';

const keys = { publicKey: 'the public key', privateKey: 'the private key' };

/** The private key as a store has it. */
function storedIn(file: string): string {
  const store = new BetterSqlite(file, { readonly: true });
  try {
    return (store.prepare('select private_key from push_keys').get() as { private_key: string }).private_key;
  } finally {
    store.close();
  }
}

test('The keys for push services are sealed in each backup, and there again after a restore', async () => {
  const { folder } = await InstanceFolder.make();
  // Files share the vault of their process.
  onTestFinished(() => sealColumnsWith(testVault));
  sealColumnsWith(testVault);
  const before = await openSqlite(folder.storeFile);
  await ensurePushKeys(before, () => keys, 0);
  await before.close();
  const { folder: backup } = await folder.backUp();
  const names = readdirSync(backup, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  const files = names.map(({ parentPath, name }) => readFileSync(join(parentPath, name)));
  expect(files.some((bytes) => bytes.includes(keys.publicKey))).toBe(true);
  expect(files.filter((bytes) => bytes.includes(keys.privateKey))).toEqual([]);
  rmSync(folder.storeFile);
  expect(await folder.restore(backup)).toMatchObject({ ok: true });
  expect(storedIn(folder.storeFile)).toMatch(/^sealed:v1\./);
  const after = await openSqlite(folder.storeFile);
  expect(await findPushKeys(after)).toEqual(keys);
  const other = () => ({ publicKey: 'another', privateKey: 'another' });
  expect(await ensurePushKeys(after, other, 1)).toEqual(keys);
  // Another instance's key opens nothing of them.
  sealColumnsWith(createVault(Buffer.alloc(32, 9).toString('base64')));
  await expect(findPushKeys(after)).rejects.toThrow();
  await after.close();
});
