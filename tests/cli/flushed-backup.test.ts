import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { migrateSqlite } from '#db/migrate.ts';
import { testKey } from '#tests/support/database.ts';
import { diskCalls } from '#tests/support/disk-calls.ts';
import { makeBackup } from '../../cli/backup/make-backup.ts';
import { MANIFEST_FILE } from '../../cli/backup/manifest.ts';
import { restoreBackup } from '../../cli/backup/restore-backup.ts';

vi.mock('node:fs', async (original) => {
  const { recordDiskCalls } = await import('#tests/support/disk-calls.ts');
  return recordDiskCalls(await original());
});

test('A backup gets its name, and replaces a database, only once it is on disk', async () => {
  const dataFolder = mkdtempSync(join(tmpdir(), 'keepsake-flushed-'));
  onTestFinished(() => rmSync(dataFolder, { recursive: true, force: true }));
  await migrateSqlite(join(dataFolder, 'keepsake.db'));
  const nowMs = Date.UTC(2026, 10, 23, 3);
  const request = {
    dataFolder,
    environment: { ENCRYPTION_KEY: testKey },
    passphrase: null,
    instance: 'ours',
    nowMs,
  };
  diskCalls.length = 0;
  const { folder } = await makeBackup({ ...request, backupsFolder: join(dataFolder, 'backups') });
  const name = basename(folder);
  expect(diskCalls.slice(0, 3).sort()).toEqual(
    ['flush keepsake.db', `flush ${MANIFEST_FILE}`, 'flush settings.env'].sort(),
  );
  expect(diskCalls.slice(3)).toEqual([`flush ${name}.ours.partial`, `rename ${name}`, 'flush backups']);

  diskCalls.length = 0;
  expect(
    await restoreBackup(folder, {
      dataFolder,
      passphrase: null,
      nowMs,
      isStopped: false,
      configuredKey: null,
    }),
  ).toMatchObject({
    ok: true,
  });
  expect(diskCalls.filter((call) => call.endsWith(' keepsake.db'))).toEqual([
    'flush keepsake.db',
    'rename keepsake.db',
  ]);
  expect(diskCalls).toContain(`flush ${basename(dataFolder)}`);
});
