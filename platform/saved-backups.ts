import { readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';

/** The number of backups in a folder, and the size of the last one; null if the folder does not exist. */
export interface SavedBackups {
  count: number;
  bytes: number | null;
}

const backupName = /^keepsake-\d{4}-[\dT-]+Z$/;

/** Counts the backups in a folder, and measures the last one. Their folders get these names once they are complete. */
export function readSavedBackups(folder: string, last: string | null): SavedBackups {
  return {
    count: namesIn(folder).filter((name) => backupName.test(name)).length,
    // A container or another user may call the folder differently.
    bytes: last === null ? null : sizeOf(join(folder, basename(last))),
  };
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function sizeOf(backup: string): number | null {
  try {
    return readdirSync(backup, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
  } catch {
    return null;
  }
}
