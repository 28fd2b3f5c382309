import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { closeDataFolder } from '#platform/close-data-folder.ts';

test('A data folder that was open to others is closed, with the database, its logs and copies, and the secrets', () => {
  const folder = mkdtempSync(join(tmpdir(), 'keepsake-modes-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, 'secrets'));
  const files = ['keepsake.db', 'keepsake.db-wal', 'keepsake.db.previous', 'secrets/encryption-key'];
  for (const file of files) writeFileSync(join(folder, file), '');
  for (const path of ['', 'secrets', ...files]) chmodSync(join(folder, path), 0o777);
  closeDataFolder(folder);
  const modeOf = (path: string) => (statSync(join(folder, path)).mode & 0o777).toString(8);
  expect(['', 'secrets'].map(modeOf)).toEqual(['700', '700']);
  expect(files.map(modeOf)).toEqual(files.map(() => '600'));
});

test('A data folder that is not there yet is left to be made', () => {
  expect(() => closeDataFolder('/nowhere/keepsake')).not.toThrow();
});
