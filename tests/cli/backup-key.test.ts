import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createVault } from '#platform/vault.ts';
import { BetterSqlite } from '#tests/support/better-sqlite.ts';
import { testKey, testVault } from '#tests/support/database.ts';
import { InstanceFolder } from '#tests/support/instance-folder.ts';

const otherKey = Buffer.alloc(32, 8).toString('hex');
const otherVault = createVault(Buffer.alloc(32, 8).toString('base64'));

/** An instance with a Steam bot's token, which is sealed. */
async function makeSealed(seals = testVault): Promise<InstanceFolder> {
  const { folder } = await InstanceFolder.make();
  const store = new BetterSqlite(folder.storeFile);
  store
    .prepare('update bots set refresh_token_sealed = ? where id = ?')
    .run(seals.seal('token', 'bot:bot-1'), 'bot-1');
  store.close();
  return folder;
}

const key = (folder: InstanceFolder) => readFileSync(folder.keyFile, 'utf8');

test('A backup without a key cannot be restored, and a drill says so', async () => {
  const folder = await makeSealed();
  rmSync(folder.keyFile);
  const { folder: backup } = await folder.backUp();
  const keyMissing = { ok: false, code: 'keyMissing', why: expect.stringContaining('no encryption key') };
  expect(await folder.drill(backup)).toMatchObject(keyMissing);
  expect(await folder.restore(backup)).toMatchObject(keyMissing);
  expect(await folder.restore(backup, { configuredKey: otherKey })).toMatchObject({ code: 'keyWrong' });
  expect(await folder.restore(backup, { configuredKey: testKey })).toMatchObject({ ok: true });
  expect(existsSync(folder.keyFile)).toBe(false);
});

test('A backup with the key of another instance cannot be restored without the right one', async () => {
  const folder = await makeSealed(otherVault);
  const { folder: backup } = await folder.backUp();
  const keyWrong = { ok: false, code: 'keyWrong', why: expect.stringContaining('key') };
  expect(await folder.drill(backup)).toMatchObject(keyWrong);
  expect(await folder.restore(backup)).toMatchObject(keyWrong);
  expect(await folder.restore(backup, { configuredKey: otherKey })).toMatchObject({ ok: true });
});

test('A key that was a setting is restored into the data folder, unless one is set here', async () => {
  const folder = await makeSealed(otherVault);
  const { folder: backup } = await folder.backUp({ environment: { ENCRYPTION_KEY: otherKey } });
  expect(await folder.drill(backup)).toMatchObject({ ok: true });
  expect(await folder.restore(backup, { configuredKey: testKey })).toMatchObject({
    code: 'keyWrong',
    why: expect.stringContaining('unset it'),
  });
  expect(await folder.restore(backup, { configuredKey: otherKey })).toMatchObject({ ok: true });
  expect(key(folder)).toBe(testKey);
  const nowMs = Date.now();
  expect(await folder.restore(backup, { nowMs })).toMatchObject({ ok: true });
  expect(key(folder)).toBe(otherKey);
});

test('A stale key in a backup hides neither its other one nor the one that is here', async () => {
  const folder = await makeSealed();
  const { folder: both } = await folder.backUp({ environment: { ENCRYPTION_KEY: otherKey } });
  expect(await folder.drill(both)).toMatchObject({ ok: true });
  expect(await folder.restore(both)).toMatchObject({ ok: true });
  expect(key(folder)).toBe(testKey);

  writeFileSync(folder.keyFile, otherKey);
  const { folder: stale } = await folder.backUp({ nowMs: 1 });
  writeFileSync(folder.keyFile, testKey);
  expect(await folder.drill(stale)).toMatchObject({ code: 'keyWrong' });
  expect(await folder.restore(stale, { nowMs: 2, configuredKey: otherKey })).toMatchObject({
    code: 'keyWrong',
    why: expect.stringContaining('the key in the data folder (secrets/encryption-key) does: unset'),
  });
  expect(await folder.restore(stale, { nowMs: 2 })).toMatchObject({ ok: true });
  expect(key(folder)).toBe(testKey);
});

test('A key that is none opens nothing', async () => {
  const folder = await makeSealed();
  writeFileSync(folder.keyFile, 'half a key');
  const { folder: backup } = await folder.backUp();
  expect(await folder.drill(backup)).toMatchObject({ code: 'keyWrong' });
});

test('A key is proven on whatever is sealed, such as the secret of an authenticator', async () => {
  const { folder, streamer } = await InstanceFolder.make();
  const store = new BetterSqlite(folder.storeFile);
  store
    .prepare('insert into authenticators (user_id, secret, created_at_ms) values (?, ?, 1)')
    .run(streamer.userId, `sealed:${otherVault.seal('secret', 'authenticators.secret')}`);
  store.close();
  const { folder: backup } = await folder.backUp();
  expect(await folder.drill(backup)).toMatchObject({ code: 'keyWrong' });
});
