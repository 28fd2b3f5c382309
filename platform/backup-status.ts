import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { foreignLinkOn, giveToOwnerOf } from './folder-owner.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** The age from which a backup, or the drill that restores one, is overdue. */
export const backupLimits = { backupMs: 2 * DAY_MS, drillMs: 14 * DAY_MS } as const;

/** The result of the last attempt. */
interface Attempt {
  atMs: number;
  /** The backup's folder. */
  backup: string | null;
  /** Null if it succeeded. */
  problem: string | null;
}

/** The known facts about an instance's backups, stored beside them. */
export interface BackupStatus {
  backup: Attempt | null;
  drill: Attempt | null;
}

/**
 * Returns whether a time lies so far ahead that the clock was wrong when it was recorded, so that it proves
 * nothing.
 */
export const isAhead = (atMs: number, nowMs: number): boolean => atMs > nowMs + HOUR_MS;

/** Returns whether something done at this time is overdue, or must count as overdue. */
export const isOverdue = (atMs: number, maxAgeMs: number, nowMs: number): boolean =>
  isAhead(atMs, nowMs) || nowMs - atMs > maxAgeMs;

const fileIn = (folder: string) => join(folder, 'status.json');

/** Reads the status of the backups in a folder; nothing is known if there is none yet. */
export function readBackupStatus(folder: string): BackupStatus {
  try {
    return JSON.parse(readFileSync(fileIn(folder), 'utf8')) as BackupStatus;
  } catch {
    return { backup: null, drill: null };
  }
}

/** Returns whether a backup was ever made here. */
export const isBackedUpHere = ({ backup, drill }: BackupStatus): boolean => backup !== null || drill !== null;

/** Records how a backup or a drill ended. */
export function recordBackupStatus(folder: string, change: Partial<BackupStatus>): void {
  const link = foreignLinkOn(folder);
  if (link) throw new Error(link);
  const created = mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (created !== undefined) giveToOwnerOf(dirname(created), created);
  const next = `${fileIn(folder)}.${process.pid}`;
  rmSync(next, { force: true });
  // A link in its place, whose name can be guessed, is not followed.
  writeFileSync(next, JSON.stringify({ ...readBackupStatus(folder), ...change }), { flag: 'wx' });
  giveToOwnerOf(folder, next);
  renameSync(next, fileIn(folder));
}
