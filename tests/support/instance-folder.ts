import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type Database, openSqlite } from '#db/database.ts';
import { migrateSqlite } from '#db/migrate.ts';
import { testKey, testVault } from '#tests/support/database.ts';
import { addBot, addStreamer, asset, deposit, type Person } from '#tests/support/fixtures.ts';
import { makeBackup } from '../../cli/backup/make-backup.ts';
import { instanceTagOf } from '../../cli/backup/manifest.ts';
import { drillBackup, restoreBackup } from '../../cli/backup/restore-backup.ts';

/** Time at which its backups are made, unless a test says otherwise. */
export const BACKED_UP_MS = Date.UTC(2026, 10, 23, 3);
/** The tag of its backups. */
export const ourTag = instanceTagOf(testKey);

/** An SQLite instance's data folder, with its key and two items in custody; it is deleted when the test ends. */
export class InstanceFolder {
  readonly dataFolder = mkdtempSync(join(tmpdir(), 'keepsake-backup-'));
  readonly backupsFolder = join(this.dataFolder, 'backups');
  readonly storeFile = join(this.dataFolder, 'keepsake.db');
  readonly keyFile = join(this.dataFolder, 'secrets', 'encryption-key');

  static async make(): Promise<{ folder: InstanceFolder; streamer: Person }> {
    const folder = new InstanceFolder();
    onTestFinished(() => rmSync(folder.dataFolder, { recursive: true, force: true }));
    mkdirSync(join(folder.dataFolder, 'secrets'));
    writeFileSync(folder.keyFile, testKey);
    await migrateSqlite(folder.storeFile, testVault);
    const streamer = await folder.inStore(async (db) => {
      await addBot(db, 'bot-1');
      const added = await addStreamer(db);
      await deposit(db, added, [asset(), asset()]);
      return added;
    });
    return { folder, streamer };
  }

  async inStore<T>(act: (db: Database) => Promise<T>): Promise<T> {
    const db = await openSqlite(this.storeFile);
    try {
      return await act(db);
    } finally {
      await db.close();
    }
  }

  readonly backUp = (facts: Partial<Parameters<typeof makeBackup>[0]> = {}) =>
    makeBackup({
      dataFolder: this.dataFolder,
      backupsFolder: this.backupsFolder,
      environment: {},
      passphrase: null,
      instance: ourTag,
      nowMs: BACKED_UP_MS,
      ...facts,
    });

  readonly drill = (backup: string, passphrase: string | null = null) =>
    drillBackup(backup, { dataFolder: this.dataFolder, passphrase });

  readonly restore = (backup: string, facts: Partial<Parameters<typeof restoreBackup>[1]> = {}) =>
    restoreBackup(backup, {
      dataFolder: this.dataFolder,
      passphrase: null,
      nowMs: BACKED_UP_MS + 3_600_000,
      isStopped: false,
      configuredKey: null,
      ...facts,
    });
}
