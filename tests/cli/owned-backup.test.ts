import { chownSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { recordBackupStatus } from '#platform/backup-status.ts';
import { InstanceFolder } from '#tests/support/instance-folder.ts';

const SERVICE = 12_345;

/** Only root can give files away. */
const asRoot = test.skipIf(process.getuid?.() !== 0);

/** What in a folder does not belong to the user of the service. */
const notOwnedIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => {
    const { uid, gid } = statSync(join(folder, name));
    return uid !== SERVICE || gid !== SERVICE;
  });

function giveAll(folder: string): void {
  chownSync(folder, SERVICE, SERVICE);
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }))
    chownSync(join(folder, name), SERVICE, SERVICE);
}

asRoot('What root backs up and restores belongs to the user of the service', async () => {
  const { folder } = await InstanceFolder.make();
  giveAll(folder.dataFolder);
  const { folder: backup } = await folder.backUp({ environment: { PUBLIC_URL: 'https://a.example' } });
  recordBackupStatus(folder.backupsFolder, { backup: { atMs: 1, backup, problem: null } });
  expect(notOwnedIn(folder.dataFolder)).toEqual([]);
  expect(await folder.restore(backup)).toMatchObject({ ok: true });
  expect(notOwnedIn(folder.dataFolder)).toEqual([]);
});

asRoot('A folder for backups that is root’s own stays so', async () => {
  const { folder } = await InstanceFolder.make();
  const { folder: backup } = await folder.backUp();
  giveAll(folder.dataFolder);
  chownSync(folder.backupsFolder, 0, 0);
  const { folder: second } = await folder.backUp({ nowMs: 1 });
  expect([backup, second].map((each) => statSync(each).uid)).toEqual([SERVICE, 0]);
});
