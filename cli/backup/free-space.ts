import { statfsSync, statSync } from 'node:fs';

/** The size of planned writes to a folder. */
export interface SpaceNeed {
  folder: string;
  bytes: number;
}

const GIB = 2 ** 30;
const inGib = (bytes: number): string => `${(bytes / GIB).toFixed(bytes < GIB ? 3 : 1)} GiB`;

/**
 * Returns the file system that lacks space for all planned writes; null if none does. A disk that fills up
 * stops the instance.
 */
export function lackOfSpace(needs: readonly SpaceNeed[]): string | null {
  const byDevice = new Map<number, SpaceNeed>();
  for (const { folder, bytes } of needs) {
    const { dev } = statSync(folder);
    byDevice.set(dev, { folder, bytes: bytes + (byDevice.get(dev)?.bytes ?? 0) });
  }
  for (const { folder, bytes } of byDevice.values()) {
    const { bavail, bsize } = statfsSync(folder);
    if (bavail * bsize < bytes)
      return `${folder} has ${inGib(bavail * bsize)} left, and ${inGib(bytes)} are needed`;
  }
  return null;
}
