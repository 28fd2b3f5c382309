import { lchownSync, lstatSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/**
 * As root, gives what was written to the owner of a folder: a service that runs as that user could not read or delete it
 * otherwise. Anybody else owns it already.
 */
export function giveToOwnerOf(folder: string, ...written: readonly string[]): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(folder);
  if (uid === 0) return;
  for (const path of written) {
    const within = lstatSync(path).isDirectory()
      ? readdirSync(path, { recursive: true, encoding: 'utf8' })
      : [];
    for (const name of ['', ...within]) lchownSync(join(path, name), uid, gid);
  }
}
