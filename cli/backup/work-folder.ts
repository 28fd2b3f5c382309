import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isAlive } from '#db/engine/is-alive.ts';
import { foreignLinkOn } from '#platform/folder-owner.ts';

const workName = /^unpacked-(\d+)$/;

/**
 * Lends an empty folder in the data folder, closed to other users, for files that must not be readable
 * elsewhere, and deletes it afterwards. Also deletes those of processes that were killed.
 */
export async function inWorkFolder<T>(dataFolder: string, work: (folder: string) => Promise<T>): Promise<T> {
  const link = foreignLinkOn(dataFolder);
  if (link) throw new Error(link);
  mkdirSync(dataFolder, { recursive: true, mode: 0o700 });
  for (const name of readdirSync(dataFolder)) {
    const pid = workName.exec(name)?.[1];
    if (pid === undefined || (Number(pid) !== process.pid && isAlive(Number(pid)))) continue;
    rmSync(join(dataFolder, name), { recursive: true, force: true });
  }
  const folder = join(dataFolder, `unpacked-${process.pid}`);
  mkdirSync(folder, { mode: 0o700 });
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
