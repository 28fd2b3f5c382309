import { expect, test } from 'vitest';
import { measureBackups } from '#bot/backup-metrics.ts';
import { registry } from '#bot/metrics.ts';
import { day, hour } from '#domain/kernel/time.ts';

const NOW_MS = Date.UTC(2026, 10, 23, 3);

async function measured(): Promise<string[]> {
  return (await registry.metrics()).split('\n').filter((line) => line.startsWith('keepsake_backup_'));
}

test('The age of backups and drills is measured, and whether they failed', async () => {
  measureBackups(
    {
      backup: { atMs: NOW_MS - hour, backup: 'folder', problem: null },
      drill: { atMs: NOW_MS - day, backup: 'folder', problem: 'it is damaged' },
    },
    NOW_MS,
  );
  expect(await measured()).toEqual([
    'keepsake_backup_age_seconds{command="backup"} 3600',
    'keepsake_backup_age_seconds{command="drill"} 86400',
    'keepsake_backup_failed{command="backup"} 0',
    'keepsake_backup_failed{command="drill"} 1',
  ]);
});

test('Where there was no backup, or one from a time ahead of the clock, its age is infinite', async () => {
  const ahead = { atMs: NOW_MS + day, backup: 'folder', problem: null };
  measureBackups({ backup: ahead, drill: null }, NOW_MS);
  expect((await measured()).filter((line) => line.includes('age'))).toEqual([
    'keepsake_backup_age_seconds{command="backup"} +Inf',
    'keepsake_backup_age_seconds{command="drill"} +Inf',
  ]);
  measureBackups(null, NOW_MS);
  expect(await measured()).toEqual([]);
});
