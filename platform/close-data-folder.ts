import { chmodSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Matches files that other users of this machine may never read: the store with its logs and copies, and the
 * secrets.
 */
const ownFile = /^(keepsake\.db.*|secrets)$/;

/**
 * Closes the data folder, the database and the secrets to other users of this machine, whatever modes they
 * were given or restored with: 0700 for folders, 0600 for files. Files of another user stay as they are, and
 * `keepsake doctor` names them; missing ones are created closed.
 */
export function closeDataFolder(folder: string): void {
  close(folder, 0o700);
  for (const name of namesIn(folder)) if (ownFile.test(name)) close(join(folder, name), modeOf(name));
  for (const name of namesIn(join(folder, 'secrets'))) close(join(folder, 'secrets', name), 0o600);
}

const modeOf = (name: string): number => (name === 'secrets' ? 0o700 : 0o600);

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (isOneOf(error, ['ENOENT', 'EACCES'])) return [];
    throw error;
  }
}

/** A file that ends meanwhile, such as a log of the database, needs no mode. */
function close(path: string, mode: number): void {
  try {
    if ((statSync(path).mode & 0o077) !== 0) chmodSync(path, mode);
  } catch (error) {
    if (!isOneOf(error, ['ENOENT', 'EPERM', 'EACCES', 'EROFS'])) throw error;
  }
}

const isOneOf = (error: unknown, codes: readonly string[]): boolean =>
  codes.includes((error as NodeJS.ErrnoException).code ?? '');
