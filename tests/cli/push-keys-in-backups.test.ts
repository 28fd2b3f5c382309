import { rmSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openSqlite } from '#db/database.ts';
import { sealColumnsWith } from '#db/engine/sealed-text.ts';
import { ensurePushKeys, findPushKeys } from '#domain/push/push-keys.ts';
import { testVault } from '#tests/support/database.ts';
import { InstanceFolder } from '#tests/support/instance-folder.ts';

test('The keys for push services are sealed, in backups, and there again after a restore', async () => {
  const { folder } = await InstanceFolder.make();
  sealColumnsWith(testVault);
  const made = { publicKey: 'the public key', privateKey: 'the private key' };
  const before = await openSqlite(folder.storeFile);
  await ensurePushKeys(before, () => made, 0);
  await before.close();
  const { folder: backup } = await folder.backUp();
  rmSync(folder.storeFile);
  expect(await folder.restore(backup)).toMatchObject({ ok: true });
  const after = await openSqlite(folder.storeFile);
  expect(await findPushKeys(after)).toEqual(made);
  const other = () => ({ publicKey: 'another', privateKey: 'another' });
  expect(await ensurePushKeys(after, other, 1)).toEqual(made);
  await after.close();
});
