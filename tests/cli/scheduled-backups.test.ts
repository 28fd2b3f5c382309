import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type BackupStatus, readBackupStatus, recordBackupStatus } from '#platform/backup-status.ts';
import { dueCommand, scheduleBackups } from '../../cli/backup/schedule-backups.ts';
import { examineBackups } from '../../cli/doctor/examine-backups.ts';
import { createLog } from '../../cli/log.ts';
import { Supervisor } from '../../cli/supervisor.ts';

const NOW_MS = Date.UTC(2026, 10, 23, 3);
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const good = (atMs: number) => ({ atMs, backup: 'folder', problem: null });
const failed = (atMs: number) => ({ atMs, backup: null, problem: 'full' });

test('A backup is due every day, a drill every week, and one that failed after an hour', () => {
  expect(dueCommand({ backup: null, drill: null }, NOW_MS)).toBe('backup');
  expect(dueCommand({ backup: good(NOW_MS), drill: null }, NOW_MS)).toBe('drill');
  expect(dueCommand({ backup: good(NOW_MS), drill: good(NOW_MS) }, NOW_MS + 23 * HOUR_MS)).toBeNull();
  expect(dueCommand({ backup: good(NOW_MS), drill: good(NOW_MS) }, NOW_MS + 24 * HOUR_MS)).toBe('backup');
  const week = NOW_MS + 7 * DAY_MS;
  expect(dueCommand({ backup: good(week), drill: good(NOW_MS) }, week)).toBe('drill');
  expect(dueCommand({ backup: failed(NOW_MS), drill: null }, NOW_MS + HOUR_MS - 1)).toBeNull();
  expect(dueCommand({ backup: failed(NOW_MS), drill: null }, NOW_MS + HOUR_MS)).toBe('backup');
});

test('What was recorded while the clock was ahead is due now', () => {
  const ahead = NOW_MS + 30 * DAY_MS;
  expect(dueCommand({ backup: good(ahead), drill: good(NOW_MS) }, NOW_MS)).toBe('backup');
  expect(dueCommand({ backup: failed(ahead), drill: null }, NOW_MS)).toBe('backup');
  expect(dueCommand({ backup: good(NOW_MS), drill: good(ahead) }, NOW_MS)).toBe('drill');
  expect(dueCommand({ backup: good(NOW_MS + MINUTE_MS), drill: good(NOW_MS) }, NOW_MS)).toBeNull();
});

test('What was recorded while the clock was ahead counts as old', () => {
  const ahead = good(NOW_MS + 30 * DAY_MS);
  const names = (status: BackupStatus) => examineBackups(status, NOW_MS).map(({ name }) => name);
  expect(names({ backup: ahead, drill: good(NOW_MS) })).toEqual(['backupOld']);
  expect(names({ backup: good(NOW_MS), drill: ahead })).toEqual(['drillMissing']);
  expect(names({ backup: good(NOW_MS + MINUTE_MS), drill: good(NOW_MS) })).toEqual([]);
});

type Run = Parameters<typeof scheduleBackups>[2];
interface Schedule {
  folder: string;
  /** The lines of its log. */
  logged: readonly Record<string, unknown>[];
  /** Returns the commands that ran within some minutes more. */
  within(minutes: number): Promise<string[]>;
}

/** Schedules backups that end as `run` says, on a clock that the test moves. */
async function scheduled(
  run: (folder: string) => Run,
  look: (schedule: Schedule) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'keepsake-scheduled-'));
  vi.useFakeTimers({ now: NOW_MS, toFake: ['Date', 'performance', 'setInterval', 'clearInterval'] });
  onTestFinished(() => {
    vi.useRealTimers();
    rmSync(folder, { recursive: true, force: true });
  });
  const ran: string[] = [];
  const within = async (minutes: number) => {
    await vi.advanceTimersByTimeAsync(minutes * MINUTE_MS);
    // A chain of what needs no time ends before the next turn.
    await nextTurn();
    return ran.splice(0);
  };
  const logged: Record<string, unknown>[] = [];
  const log = createLog('supervisor', 'info', {
    write: (line: string) => void logged.push(JSON.parse(line)),
  });
  scheduleBackups(folder, log, (command, limitMs) => {
    ran.push(`${command} after ${Math.round((Date.now() - NOW_MS) / MINUTE_MS)}`);
    return run(folder)(command, limitMs);
  });
  await look({ folder, logged, within });
}

test('A backup is followed by a drill, and by the next one a day later', () =>
  scheduled(
    (folder) => async (command) => {
      recordBackupStatus(folder, { [command]: good(Date.now()) });
      return { ok: true, output: 'in a folder\n' };
    },
    async ({ within, logged }) => {
      expect(await within(0)).toEqual(['backup after 0', 'drill after 0']);
      expect(logged).toMatchObject([
        { level: 30, process: 'supervisor', msg: 'backup done', output: 'in a folder' },
        { level: 30, process: 'supervisor', msg: 'drill done' },
      ]);
      expect(await within(24 * 60 - 1)).toEqual([]);
      expect(await within(1)).toEqual(['backup after 1440']);
    },
  ));

test('One that failed is repeated after an hour, and the reason is logged', () =>
  scheduled(
    (folder) => async () => {
      recordBackupStatus(folder, { backup: failed(Date.now()) });
      return { ok: false, output: 'No backup: full\n' };
    },
    async ({ within, logged }) => {
      expect(await within(59)).toEqual(['backup after 0']);
      expect(logged).toMatchObject([
        { level: 50, msg: 'backup failed; it is repeated in an hour', problem: 'No backup: full' },
      ]);
      expect(await within(1)).toEqual(['backup after 60']);
    },
  ));

test('What could not record how it ended, because it was killed, is recorded and waits for its hour', () =>
  scheduled(
    () => async () => ({ ok: false, output: 'It took longer than 360 minutes.' }),
    async ({ folder, within }) => {
      expect(await within(59)).toEqual(['backup after 0']);
      expect(readBackupStatus(folder).backup).toEqual({
        atMs: NOW_MS,
        backup: null,
        problem: 'It took longer than 360 minutes.',
      });
      expect(await within(1)).toEqual(['backup after 60']);
    },
  ));

test('A backup whose status cannot be stored is not made again and again', () =>
  scheduled(
    () => async () => ({ ok: true, output: 'done' }),
    async ({ within }) => {
      expect(await within(59)).toEqual(['backup after 0']);
      expect(await within(61)).toEqual(['backup after 60', 'backup after 120']);
    },
  ));

test('While one runs no other begins, it has a limit, and an error ends nothing', () => {
  let fail = (_error: Error) => {};
  const running = new Promise<never>((_resolve, reject) => {
    fail = reject;
  });
  const limits: number[] = [];
  return scheduled(
    () => (_command, limitMs) => {
      limits.push(limitMs);
      return running;
    },
    async ({ within, logged }) => {
      expect(await within(300)).toEqual(['backup after 0']);
      expect(limits).toEqual([6 * HOUR_MS]);
      fail(new Error('no process could be started'));
      expect(await within(15)).toEqual(['backup after 315']);
      expect(logged[0]).toMatchObject({ level: 50, err: { message: 'no process could be started' } });
    },
  );
});

test('A process that takes longer than its limit is ended, and says so', async () => {
  const root = mkdtempSync(join(tmpdir(), 'keepsake-hanging-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  mkdirSync(join(root, 'build'));
  writeFileSync(join(root, 'build', 'end-with-parent.js'), '');
  writeFileSync(join(root, 'build', 'keepsake.js'), "console.log('begun'); setInterval(() => {}, 1000);");
  const supervisor = new Supervisor({ root, watching: false, log: createLog('supervisor', 'silent') });
  expect(await supervisor.run('keepsake', { PATH: process.env.PATH }, [], 600)).toEqual({
    ok: false,
    output: expect.stringContaining('It took longer than 0.01 minutes and was ended.'),
  });
});
