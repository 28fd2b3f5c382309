import { type BackupStatus, backupLimits, isOverdue } from '#platform/backup-status.ts';
import type { Finding } from './finding.ts';

/** Examines when backups were last made and proven. */
export function examineBackups({ backup, drill }: BackupStatus, nowMs: number): Finding[] {
  if (!backup || (backup.problem === null && isOverdue(backup.atMs, backupLimits.backupMs, nowMs)))
    return [
      {
        name: backup ? 'backupOld' : 'backupMissing',
        what: backup
          ? 'The last backup is more than two days old, or from a time ahead of the clock.'
          : 'There is no backup.',
        why: 'If the disk fails, nobody knows whose the items in your bots are.',
        remedy: 'Run `keepsake backup`, and let `npm start`, cron or a systemd timer repeat it.',
      },
    ];
  if (backup.problem !== null)
    return [
      {
        name: 'backupFailed',
        what: `The last backup failed: ${backup.problem}.`,
        why: 'If the disk fails, what happened since the one before is lost.',
        remedy: 'Mend the cause and run `keepsake backup`.',
      },
    ];
  if (drill && drill.problem === null && !isOverdue(drill.atMs, backupLimits.drillMs, nowMs)) return [];
  return [
    {
      name: drill?.problem ? 'drillFailed' : 'drillMissing',
      what: drill?.problem
        ? `The last drill could not restore a backup: ${drill.problem}.`
        : 'No backup has been proven for two weeks.',
      why: 'A backup that cannot be restored is none.',
      remedy: 'Run `keepsake backup` and `keepsake drill`.',
    },
  ];
}
