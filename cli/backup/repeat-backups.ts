import { type ChildProcess, spawn } from 'node:child_process';
import type { Log } from '../log.ts';
import { scheduleBackups } from './schedule-backups.ts';

const signals = ['SIGTERM', 'SIGINT'] as const;

type Run = Parameters<typeof scheduleBackups>[2];

/**
 * Makes and proves backups when they are due, each in a process of its own, until this one is stopped: for
 * containers, where neither the supervisor nor a timer does. Without a folder it only waits, because a
 * container that ends is restarted.
 */
export async function repeatBackups(backupsFolder: string | null, log: Log): Promise<void> {
  const running = new Set<ChildProcess>();
  const ended = new Promise<void>((resolve) => {
    for (const signal of signals) process.once(signal, () => resolve());
  });
  // A promise alone keeps no process alive.
  const alive = setInterval(() => {}, 2 ** 31 - 1);
  let isEnding = false;
  if (backupsFolder === null) log.info('BACKUP_COUNT is 0, so no backups are made');
  else
    scheduleBackups(backupsFolder, log, (command, limitMs) =>
      runApart(running, () => isEnding, command, limitMs),
    );
  await ended;
  isEnding = true;
  clearInterval(alive);
  for (const child of running) child.kill();
}

/** Runs another command of this program to its end. What the end of this one cuts short never has a result. */
async function runApart(
  running: Set<ChildProcess>,
  isEnding: () => boolean,
  ...[command, limitMs]: Parameters<Run>
): ReturnType<Run> {
  const child = spawn(process.execPath, [...process.execArgv, process.argv[1] ?? '', command], {
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: limitMs,
  });
  running.add(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (part: Buffer) => {
      output += part.toString();
    });
  return new Promise((resolve) => {
    child.once('error', ({ message }) => resolve({ ok: false, output: message }));
    child.once('close', (code) => {
      running.delete(child);
      if (isEnding()) return;
      if (child.killed) output += `\nIt took longer than ${limitMs / 60_000} minutes and was ended.`;
      resolve({ ok: code === 0, output });
    });
  });
}
