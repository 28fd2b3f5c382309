import { lchownSync, lstatSync, readdirSync, type Stats, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/**
 * As root, gives new files to the owner of their folder, because a service that runs as that user could not
 * read or delete them otherwise. Any other user owns them already.
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

/**
 * Returns why root must not use a path: it, or a folder on the way to it, is a link by which another user
 * leads root to a file that this user does not own. Null if root may use it. A link of root's own is
 * intended, and one to a file that its maker owns gives nothing away.
 */
export function foreignLinkOn(path: string): string | null {
  if (process.getuid?.() !== 0) return null;
  for (let each = resolve(path); dirname(each) !== each; each = dirname(each)) {
    const link = statsOf(lstatSync, each);
    if (!link?.isSymbolicLink() || link.uid === 0) continue;
    if (statsOf(statSync, each)?.uid !== link.uid)
      return `${each} is a link of the user ${link.uid} to what is not theirs, and root does not follow it: put a folder in its place, make the link yours (chown -h root), or run this as that user`;
  }
  return null;
}

/** Returns null for a path that does not exist. */
function statsOf(read: (path: string) => Stats, path: string): Stats | null {
  try {
    return read(path);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ELOOP'].includes((error as NodeJS.ErrnoException).code ?? '')) return null;
    throw error;
  }
}
