import { type BackupStatus, readBackupStatus } from '#platform/backup-status.ts';

const HOUR_MS = 3_600_000;
const BACKUP_EVERY_MS = 24 * HOUR_MS;
const DRILL_EVERY_MS = 7 * 24 * HOUR_MS;

/** Which command is due: a backup a day, a drill a week, and one that failed again after an hour. */
export function dueCommand({ backup, drill }: BackupStatus, nowMs: number): 'backup' | 'drill' | null {
  const isDue = (last: BackupStatus['backup'], everyMs: number) =>
    last === null || nowMs - last.atMs >= (last.problem === null ? everyMs : HOUR_MS);
  if (isDue(backup, BACKUP_EVERY_MS)) return 'backup';
  return backup?.problem === null && isDue(drill, DRILL_EVERY_MS) ? 'drill' : null;
}

/** Runs backups and drills in processes of their own when they are due, and prints what went wrong. */
export function scheduleBackups(
  folder: string,
  run: (command: 'backup' | 'drill') => Promise<{ ok: boolean; output: string }>,
): void {
  const check = async () => {
    const command = dueCommand(readBackupStatus(folder), Date.now());
    if (!command) return;
    const { ok, output } = await run(command);
    if (!ok) console.error(`The ${command} failed: ${output.trim()}`);
    else await check();
  };
  let isChecking = false;
  const begin = () => {
    if (isChecking) return;
    isChecking = true;
    void check().finally(() => {
      isChecking = false;
    });
  };
  begin();
  setInterval(begin, HOUR_MS / 4).unref();
}
