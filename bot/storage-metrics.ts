import { existsSync } from 'node:fs';
import { Gauge } from 'prom-client';
import type { BotConfiguration } from '#bot/config.ts';
import { registry } from '#bot/metrics.ts';
import type { Reader } from '#db/database.ts';
import { countBytes } from '#db/engine/count-bytes.ts';
import { freeBytesOf } from '#platform/free-space.ts';

const registers = [registry];
const free = new Gauge({
  name: 'keepsake_disk_free_bytes',
  help: 'Bytes that may still be written to the disk of a folder: of the data, and of the backups',
  labelNames: ['folder'] as const,
  registers,
});
const databaseBytes = new Gauge({
  name: 'keepsake_database_bytes',
  help: 'The size of the database, without the log of writes',
  registers,
});
const writable = new Gauge({
  name: 'keepsake_database_writable',
  help: 'Whether a row could be written just now',
  registers,
});

/** Measures the disks of this process, the size of the database, and whether it took a row: `refusal` is why not. */
export async function measureStorage(
  { dataFolder, backupFolder }: Pick<BotConfiguration, 'dataFolder' | 'backupFolder'>,
  q: Reader,
  refusal: string | null,
): Promise<void> {
  free.reset();
  // The first backup makes its folder.
  for (const [folder, path] of [
    ['data', dataFolder],
    ['backups', backupFolder],
  ] as const)
    if (existsSync(path)) free.set({ folder }, freeBytesOf(path));
  databaseBytes.set(await countBytes(q));
  writable.set(refusal === null ? 1 : 0);
}
