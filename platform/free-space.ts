import { statfsSync } from 'node:fs';

const MIB = 2 ** 20;
/** Beside less than this nothing starts: a migration would end halfway through its copy. */
export const MIN_FREE_BYTES = 64 * MIB;

/** The bytes that this user may still write to the disk of a folder. */
export function freeBytesOf(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

export const inMib = (bytes: number): string => `${Math.floor(bytes / MIB)} MiB`;
