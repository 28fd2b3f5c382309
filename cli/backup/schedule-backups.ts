import { type BackupStatus, isAhead, readBackupStatus, recordBackupStatus } from '#platform/backup-status.ts';
import type { Log } from '../log.ts';

const HOUR_MS = 3_600_000;
const BACKUP_EVERY_MS = 24 * HOUR_MS;
const DRILL_EVERY_MS = 7 * 24 * HOUR_MS;
const RETRY_MS = HOUR_MS;
/** A command that takes longer hangs, and would keep all later ones from running. */
const LIMIT_MS = 6 * HOUR_MS;

type Command = 'backup' | 'drill';

/**
 * Returns the command that is due: a backup a day, a drill a week, a retry an hour after a failure, and one
 * at once for a time ahead of the clock.
 */
export function dueCommand({ backup, drill }: BackupStatus, nowMs: number): Command | null {
  const isDue = (last: BackupStatus['backup'], everyMs: number) =>
    last === null ||
    isAhead(last.atMs, nowMs) ||
    nowMs - last.atMs >= (last.problem === null ? everyMs : RETRY_MS);
  if (isDue(backup, BACKUP_EVERY_MS)) return 'backup';
  return backup?.problem === null && isDue(drill, DRILL_EVERY_MS) ? 'drill' : null;
}

/**
 * Runs backups and drills in processes of their own when they are due, and logs how they ended. One that could not record
 * how it ended, because it was killed or the disk is full, waits for its hour all the same.
 */
export function scheduleBackups(
  folder: string,
  log: Log,
  run: (command: Command, limitMs: number) => Promise<{ ok: boolean; output: string }>,
): void {
  const begunAt = new Map<Command, number>();
  const check = async () => {
    const before = readBackupStatus(folder);
    const nowMs = Date.now();
    const command = dueCommand(before, nowMs);
    if (!command || performance.now() - (begunAt.get(command) ?? -RETRY_MS) < RETRY_MS) return;
    begunAt.set(command, performance.now());
    const { ok, output } = await run(command, LIMIT_MS);
    if (ok) {
      log.info({ output: output.trim() }, `${command} done`);
      return check();
    }
    const problem = output.trim() || 'it ended without saying why';
    log.error({ problem }, `${command} failed; it is repeated in an hour`);
    if (readBackupStatus(folder)[command]?.atMs === before[command]?.atMs)
      recordBackupStatus(folder, { [command]: { atMs: nowMs, backup: null, problem } });
  };
  let isChecking = false;
  const begin = () => {
    if (isChecking) return;
    isChecking = true;
    void check()
      .catch((err: Error) =>
        log.error({ err }, 'no backup or drill could be run or recorded; that is tried again'),
      )
      .finally(() => {
        isChecking = false;
      });
  };
  begin();
  setInterval(begin, HOUR_MS / 4).unref();
}
