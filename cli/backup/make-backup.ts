import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { loadSqliteDriver } from '#db/engine/sqlite-driver.ts';
import type { Environment } from '#platform/configuration.ts';
import { foreignLinkOn, giveToOwnerOf } from '#platform/folder-owner.ts';
import { flushToDisk } from './flush-to-disk.ts';
import { lackOfSpace } from './free-space.ts';
import {
  backupNameOf,
  DUMP_FILE,
  listBackups,
  MANIFEST_FILE,
  type Manifest,
  partialOf,
  STORE_FILE,
} from './manifest.ts';
import { dumpPostgres } from './postgres-store.ts';
import { digestOf, keyFrom, sealFile } from './sealed-file.ts';
import { writeSettings } from './settings-file.ts';
import { factsOf, type StoreCounts, type StoreFacts } from './store-facts.ts';
import { inWorkFolder } from './work-folder.ts';

export interface BackupRequest {
  dataFolder: string;
  /** The PostgreSQL database; without one it is the SQLite file in the data folder. */
  databaseUrl?: string | undefined;
  backupsFolder: string;
  /** Settings are taken from here. */
  environment: Environment;
  passphrase: string | null;
  /** The tag of the instance. */
  instance: string;
  nowMs: number;
}

/**
 * Writes a backup of a running instance into a new folder: the database as of one moment, the secrets, the settings and
 * the list of Steam accounts, each with its checksum. The folder gets its name only once it is complete and on disk.
 * With a passphrase nothing is ever written to it unencrypted.
 */
export async function makeBackup(request: BackupRequest): Promise<{ folder: string; counts: StoreCounts }> {
  const { dataFolder, backupsFolder, environment, instance, nowMs } = request;
  requireNoForeignLink(backupsFolder);
  const created = mkdirSync(backupsFolder, { recursive: true, mode: 0o700 });
  if (created !== undefined) giveToOwnerOf(dirname(created), created);
  const folder = join(backupsFolder, backupNameOf(nowMs));
  const partial = partialOf(folder, instance);
  const requireSpace = (bytes: number) => {
    const lack = lackOfSpace([dataFolder, backupsFolder].map((each) => ({ folder: each, bytes })));
    if (lack) throw new Error(lack);
  };
  try {
    const counts = await inWorkFolder(dataFolder, async (plain) => {
      copySecrets(dataFolder, plain);
      writeSettings(environment, plain);
      if (request.databaseUrl) requireSpace(sizeOfLastDump(request));
      const facts = request.databaseUrl
        ? await dumpPostgres(request.databaseUrl, join(plain, DUMP_FILE))
        : await copyStore(join(dataFolder, STORE_FILE), join(plain, STORE_FILE), requireSpace);
      // Created only now, because a folder that nothing was written to for an hour counts as abandoned.
      mkdirSync(partial, { mode: 0o700 });
      const stored = await storeFiles(plain, partial, request.passphrase);
      const manifest: Manifest = { format: 1, instance, madeAtMs: nowMs, ...facts, ...stored };
      writeFileSync(join(partial, MANIFEST_FILE), JSON.stringify(manifest, null, 2), { mode: 0o600 });
      return facts.counts;
    });
    giveToOwnerOf(backupsFolder, partial);
    for (const name of readdirSync(partial, { recursive: true, encoding: 'utf8' }))
      flushToDisk(join(partial, name));
    flushToDisk(partial);
    renameSync(partial, folder);
    flushToDisk(backupsFolder);
    return { folder, counts };
  } catch (error) {
    rmSync(partial, { recursive: true, force: true });
    throw error;
  }
}

/** Copies all files of a folder into another one, encrypted if there is a passphrase. */
async function storeFiles(
  from: string,
  to: string,
  passphrase: string | null,
): Promise<Pick<Manifest, 'salt' | 'files'>> {
  const salt = passphrase === null ? null : randomBytes(16).toString('hex');
  const key = passphrase === null || salt === null ? null : keyFrom(passphrase, salt);
  const files: Manifest['files'] = [];
  for (const name of filesIn(from)) {
    const path = join(to, name);
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    if (key) await sealFile(join(from, name), path, key, name);
    else copyFileSync(join(from, name), path);
    chmodSync(path, 0o600);
    files.push({ name, sha256: await digestOf(path) });
  }
  return { salt, files };
}

/**
 * Copies an SQLite database as of one moment, while others write, and returns the facts about its content.
 */
async function copyStore(
  from: string,
  to: string,
  requireSpace: (bytes: number) => void,
): Promise<StoreFacts> {
  if (!existsSync(from)) throw new Error(`there is no database at ${from}`);
  requireNoForeignLink(from);
  const BetterSqlite = await loadSqliteDriver();
  const connection = new BetterSqlite(from, { readonly: true, timeout: 30_000 });
  try {
    const count = (pragma: string) => connection.pragma(pragma, { simple: true }) as number;
    requireSpace((count('page_count') - count('freelist_count')) * count('page_size'));
    connection.prepare('VACUUM INTO ?').run(to);
    chmodSync(to, 0o600);
  } finally {
    connection.close();
  }
  const facts = await factsOf(to);
  for (const left of [`${to}-wal`, `${to}-shm`]) rmSync(left, { force: true });
  return facts;
}

/** The size of a PostgreSQL dump is not known beforehand; the last one shows it roughly. */
function sizeOfLastDump({ backupsFolder, instance, nowMs }: BackupRequest): number {
  const last = listBackups(backupsFolder, instance, { nowMs, kind: DUMP_FILE }).at(-1);
  return last === undefined ? 0 : statSync(join(last, DUMP_FILE)).size;
}

function copySecrets(dataFolder: string, plain: string): void {
  const secrets = join(dataFolder, 'secrets');
  if (!existsSync(secrets)) return;
  mkdirSync(join(plain, 'secrets'), { mode: 0o700 });
  for (const name of readdirSync(secrets)) {
    requireNoForeignLink(join(secrets, name));
    copyFileSync(join(secrets, name), join(plain, 'secrets', name));
  }
}

/** A backup belongs to the owner of its folder, and so do the files in it that root read. */
function requireNoForeignLink(path: string): void {
  const link = foreignLinkOn(path);
  if (link) throw new Error(link);
}

/** All files below a folder, as paths within it. */
function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(join(folder, name)).isFile())
    .sort();
}
