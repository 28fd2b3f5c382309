import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { keyFaults, wordsOf } from '#db/engine/prove-key.ts';
import { recordBackupStatus } from '#platform/backup-status.ts';
import { type ConfigurationValues, describeFaults, readConfiguration } from '#platform/configuration.ts';
import {
  backupFolderOf,
  backupVariables,
  findEncryptionKey,
  storeVariables,
} from '#platform/shared-variables.ts';
import { readVersion } from '#platform/version.ts';
import { createLog } from '../log.ts';
import { makeBackup } from './make-backup.ts';
import {
  DUMP_FILE,
  instanceTagOf,
  isBackupOf,
  isEncrypted,
  listBackups,
  pruneBackups,
  STORE_FILE,
} from './manifest.ts';
import { migrationsOfPostgres } from './postgres-store.ts';
import { repeatBackups } from './repeat-backups.ts';
import { drillBackup, restoreBackup } from './restore-backup.ts';
import { drillPostgres, restorePostgres } from './restore-postgres.ts';
import { knownMigrations, migrationsOf } from './store-facts.ts';
import { type Restored, refuseFor } from './unpack-backup.ts';

const plan = { ...storeVariables, ...backupVariables };
type Settings = ConfigurationValues<typeof plan>;
type Run = (args: readonly string[]) => Promise<boolean>;

/** Runs a command with the settings of the instance. */
const withSettings =
  (run: (settings: Settings, args: readonly string[]) => Promise<boolean>): Run =>
  async (args) => {
    const outcome = readConfiguration(plan, process.env);
    if (!outcome.ok) {
      console.error(describeFaults(outcome.faults));
      return false;
    }
    try {
      return await run(outcome.values, args);
    } catch (error) {
      console.error((error as Error).message);
      return false;
    }
  };

/** The tag of the instance. */
function instanceOf(settings: Settings): string {
  const store = join(settings.KEEPSAKE_DATA_DIR, STORE_FILE);
  if (!settings.DATABASE_URL && !existsSync(store)) throw new Error(`there is no database at ${store}`);
  const key = findEncryptionKey(settings);
  if (key === null) throw new Error(wordsOf(keyFaults.missing));
  return instanceTagOf(key);
}

/** A machine without a database has no backups of its own. */
function isOwn(settings: Settings, backup: string): boolean {
  try {
    return isBackupOf(instanceOf(settings), backup, backupFolderOf(settings));
  } catch {
    return false;
  }
}

const placeOf = (settings: Settings) => ({
  dataFolder: settings.KEEPSAKE_DATA_DIR,
  databaseUrl: settings.DATABASE_URL,
  passphrase: settings.BACKUP_PASSPHRASE ?? null,
});

/** A status that cannot be written hides neither a backup that was made nor why none was. */
function record(folder: string, change: Parameters<typeof recordBackupStatus>[1]): void {
  try {
    recordBackupStatus(folder, change);
  } catch (error) {
    console.warn(`How it ended cannot be recorded in ${folder}: ${(error as Error).message}`);
  }
}

/**
 * `keepsake backup`: writes one, without proving it, and deletes the oldest. With `--repeat` it goes on as
 * the supervisor does.
 */
export const runBackup = withSettings(async (settings, args) => {
  if (!args.includes('--repeat')) return writeBackup(settings);
  const log = createLog('backup', process.env.LOG_LEVEL);
  await repeatBackups(settings.BACKUP_COUNT === 0 ? null : backupFolderOf(settings), log);
  return true;
});

async function writeBackup(settings: Settings): Promise<boolean> {
  const backupsFolder = backupFolderOf(settings);
  const nowMs = Date.now();
  try {
    const instance = instanceOf(settings);
    const { folder, counts } = await makeBackup({
      dataFolder: settings.KEEPSAKE_DATA_DIR,
      databaseUrl: settings.DATABASE_URL,
      backupsFolder,
      environment: process.env,
      passphrase: settings.BACKUP_PASSPHRASE ?? null,
      instance,
      nowMs,
    });
    record(backupsFolder, { backup: { atMs: nowMs, backup: folder, problem: null } });
    console.log(`${folder}: ${counts.items} items, ${counts.ledgerEntries} ledger entries.`);
    prune(settings, instance, nowMs);
    return true;
  } catch (error) {
    const problem = (error as Error).message;
    console.error(`No backup: ${problem}`);
    record(backupsFolder, { backup: { atMs: nowMs, backup: null, problem } });
    return false;
  }
}

/** The new backup stays good when an old one cannot be deleted. */
function prune(settings: Settings, instance: string, nowMs: number): void {
  if (settings.BACKUP_COUNT === 0) return;
  const { failures } = pruneBackups(backupFolderOf(settings), settings.BACKUP_COUNT, { instance, nowMs });
  for (const failure of failures) console.warn(failure);
}

/**
 * Finds the newest backup of this instance, and the passphrase that opens it. With a passphrase it is the
 * newest encrypted one, because anybody may have made another. Before there is one, it is the newest that its
 * instance made without passphrase.
 */
function newestBackup(settings: Settings): { backup: string; passphrase: string | null } | null {
  const { DATABASE_URL: databaseUrl, BACKUP_PASSPHRASE: passphrase = null } = settings;
  // Backups from before a move to PostgreSQL are of the other kind.
  const kind = databaseUrl ? DUMP_FILE : STORE_FILE;
  const facts = { nowMs: Date.now(), kind };
  const listed = listBackups(backupFolderOf(settings), instanceOf(settings), facts);
  const encrypted = passphrase === null ? undefined : listed.findLast(isEncrypted);
  const backup = encrypted ?? listed.at(-1);
  if (!backup) return null;
  if (passphrase !== null && !encrypted)
    console.warn(`${backup} is not encrypted: it is from before BACKUP_PASSPHRASE was set.`);
  return { backup, passphrase: passphrase !== null && !encrypted ? null : passphrase };
}

/**
 * `keepsake drill [FOLDER]`: proves that a backup, by default the newest, can be restored. How it ended is recorded if the
 * backup is one of this instance: a copy of another one says nothing about whether ours can be restored.
 */
export const runDrill = withSettings(async (settings, [given]) => {
  const backupsFolder = backupFolderOf(settings);
  const { databaseUrl, ...place } = placeOf(settings);
  const nowMs = Date.now();
  const chosen = given ? { backup: given, passphrase: place.passphrase } : newestBackup(settings);
  if (!chosen) {
    console.error(`There is no backup of ${databaseUrl ? 'PostgreSQL' : 'SQLite'} in ${backupsFolder}.`);
    return false;
  }
  const { backup, passphrase } = chosen;
  const drilled = await (databaseUrl
    ? drillPostgres(backup, { ...place, passphrase, databaseUrl })
    : drillBackup(backup, { ...place, passphrase })
  ).catch((error: Error) => refuseFor('unclear', error.message));
  const problem = drilled.ok ? null : (drilled.why ?? drilled.code);
  if (!given || isOwn(settings, given)) record(backupsFolder, { drill: { atMs: nowMs, backup, problem } });
  else console.log('It is no backup of this instance, so it does not count as its drill.');
  return report(backup, drilled, 'can be restored');
});

export const restoreUsage = 'Usage: keepsake restore FOLDER [--stopped]';

/**
 * `keepsake restore FOLDER`: puts a backup in the place of the present data, which moves aside. With
 * `--stopped` it also replaces a database too damaged to tell who has it open.
 */
export const runRestore = withSettings(async (settings, args) => {
  const [backup, ...more] = args.filter((arg) => arg !== '--stopped');
  if (!backup || more.length > 0) {
    console.error(restoreUsage);
    return false;
  }
  const place = {
    ...placeOf(settings),
    nowMs: Date.now(),
    configuredKey: settings.ENCRYPTION_KEY ?? null,
  };
  const { databaseUrl } = place;
  const restored = await (databaseUrl
    ? restorePostgres(backup, { ...place, databaseUrl })
    : restoreBackup(backup, { ...place, isStopped: args.includes('--stopped') }));
  if (restored.ok && restored.replaced) console.log(`What was there is in ${restored.replaced}.`);
  return report(backup, restored, 'was restored');
});

function report(backup: string, restored: Restored, done: string): boolean {
  if (!restored.ok) {
    console.error(`${backup} is refused: ${restored.why ?? restored.code}`);
    return false;
  }
  for (const { itemId, holder, rebuilt } of restored.drifts)
    console.warn(
      `As when it was backed up, item ${itemId} is with ${holder}, but the ledger leads to ${rebuilt ?? 'nowhere'}: see \`keepsake custody\`.`,
    );
  const { items, ledgerEntries } = restored.counts;
  console.log(`${backup} ${done}: ${items} items, and ${ledgerEntries} ledger entries.`);
  return true;
}

/** `keepsake version`: the version, the build, and the schema of this build and of the database. */
export const runVersion: Run = async () => {
  const { version, build } = readVersion();
  console.log(`keepsake ${version}, build ${build ?? 'none'}, Node ${process.versions.node}`);
  console.log(`schema ${knownMigrations()}`);
  const outcome = readConfiguration(storeVariables, process.env);
  if (!outcome.ok) return true;
  const { DATABASE_URL: url, KEEPSAKE_DATA_DIR: folder } = outcome.values;
  const store = join(folder, STORE_FILE);
  try {
    const migrations = url
      ? await migrationsOfPostgres(url)
      : existsSync(store) && (await migrationsOf(store));
    console.log(migrations ? `database ${migrations}` : 'database: none yet');
    return true;
  } catch (error) {
    console.error(`database: cannot be read (${(error as Error).message})`);
    return false;
  }
};
