import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { readBackupStatus } from '#platform/backup-status.ts';
import { InstanceFolder, ourTag } from '#tests/support/instance-folder.ts';
import { bundleOf } from '#tests/support/processes.ts';
import { listBackups } from '../../cli/backup/manifest.ts';

/** `keepsake backup --repeat`, as a container runs it. */
function repeat(dataFolder: string, more: Record<string, string> = {}) {
  const child = spawn(process.execPath, [bundleOf('keepsake'), 'backup', '--repeat'], {
    env: { PATH: process.env.PATH, KEEPSAKE_DATA_DIR: dataFolder, ...more },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let output = '';
  child.stdout.on('data', (part: Buffer) => {
    output += part.toString();
  });
  const end = async () => {
    child.kill('SIGTERM');
    return (await once(child, 'exit'))[0];
  };
  return { output: () => output, end };
}

test('Backups are made and proven without the supervisor, until the process is told to end', async () => {
  const { folder } = await InstanceFolder.make();
  const repeated = repeat(folder.dataFolder);
  await expect.poll(() => readBackupStatus(folder.backupsFolder).drill).toMatchObject({ problem: null });
  await expect.poll(repeated.output).toContain('can be restored: 2 items');
  expect(listBackups(folder.backupsFolder, ourTag, { nowMs: Date.now() })).toHaveLength(1);
  expect(await repeated.end()).toBe(0);
});

test('With BACKUP_COUNT=0 none is made, and the process goes on', async () => {
  const { folder } = await InstanceFolder.make();
  const repeated = repeat(folder.dataFolder, { BACKUP_COUNT: '0' });
  await expect.poll(repeated.output).toContain('\n');
  expect(JSON.parse(repeated.output())).toMatchObject({
    process: 'backup',
    msg: 'BACKUP_COUNT is 0, so no backups are made',
  });
  expect(await repeated.end()).toBe(0);
  expect(readBackupStatus(folder.backupsFolder).backup).toBeNull();
});
