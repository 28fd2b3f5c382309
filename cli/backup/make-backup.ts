import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { loadSqliteDriver } from '#db/sqlite-driver.ts';
import type { Environment } from '#platform/configuration.ts';
import { digestOf, keyFrom, sealFile } from './sealed-file.ts';
import { countsOf, migrationsOf, type StoreCounts } from './store-facts.ts';

export interface BackupRequest {
  dataFolder: string;
  backupsFolder: string;
  /** Settings are taken from here. */
  environment: Environment;
  passphrase: string | null;
  nowMs: number;
}

export interface Manifest {
  format: 1;
  madeAtMs: number;
  /** How many migrations the database has had. */
  migrations: number;
  counts: StoreCounts;
  /** The salt of the passphrase's key; null if the files are not encrypted. */
  salt: string | null;
  /** Each file with its checksum as stored. */
  files: { name: string; sha256: string }[];
}

export const MANIFEST = 'manifest.json';
export const STORE = 'keepsake.db';
const prefix = 'keepsake-';

/** Our own settings, by name. */
const settingName =
  /^(PORT|PUBLIC_URL|HOST|BOT_PORT|BOT_URL|DATABASE_URL|BOT_SECRET|ENCRYPTION_KEY|SESSION_SECRET|OPERATOR_EMAIL|PAID_DRAWS|LOG_LEVEL|TRUST_PROXY|MAIL_FROM|(KEEPSAKE|TWITCH|TWURPLE|STEAM|SMTP|STRIPE|CAPTCHA|BACKUP)_\w+)$/;

/**
 * Writes a backup of a running instance into a new folder: the database as of one moment, the secrets, the settings and
 * the list of Steam accounts, each with its checksum. The folder gets its name only once it is complete.
 */
export async function makeBackup(request: BackupRequest): Promise<{ folder: string; counts: StoreCounts }> {
  const { dataFolder, backupsFolder, passphrase, nowMs } = request;
  mkdirSync(backupsFolder, { recursive: true, mode: 0o700 });
  const name = `${prefix}${new Date(nowMs).toISOString().replaceAll(':', '-').replace('.', '-')}`;
  const folder = join(backupsFolder, name);
  const partial = `${folder}.partial`;
  rmSync(partial, { recursive: true, force: true });
  mkdirSync(partial, { mode: 0o700 });
  try {
    const store = join(partial, STORE);
    await copyStore(join(dataFolder, STORE), store);
    const counts = await countsOf(store);
    const migrations = await migrationsOf(store);
    for (const left of [`${store}-wal`, `${store}-shm`]) rmSync(left, { force: true });
    copySecrets(dataFolder, partial);
    writeSettings(request.environment, partial);
    const salt = passphrase === null ? null : randomBytes(16).toString('hex');
    const key = passphrase === null || salt === null ? null : keyFrom(passphrase, salt);
    const files: Manifest['files'] = [];
    for (const each of filesIn(partial)) {
      const path = join(partial, each);
      if (key) {
        await sealFile(path, `${path}.sealed`, key, each);
        renameSync(`${path}.sealed`, path);
      }
      files.push({ name: each, sha256: await digestOf(path) });
    }
    const manifest: Manifest = { format: 1, madeAtMs: nowMs, migrations, counts, salt, files };
    writeFileSync(join(partial, MANIFEST), JSON.stringify(manifest, null, 2), { mode: 0o600 });
    renameSync(partial, folder);
    return { folder, counts };
  } catch (error) {
    rmSync(partial, { recursive: true, force: true });
    throw error;
  }
}

/** Copies the database as of one moment, while others write. */
async function copyStore(from: string, to: string): Promise<void> {
  if (!existsSync(from)) throw new Error(`there is no database at ${from}`);
  const BetterSqlite = await loadSqliteDriver();
  const connection = new BetterSqlite(from, { readonly: true, timeout: 30_000 });
  try {
    connection.prepare('VACUUM INTO ?').run(to);
    chmodSync(to, 0o600);
  } finally {
    connection.close();
  }
}

function copySecrets(dataFolder: string, partial: string): void {
  const secrets = join(dataFolder, 'secrets');
  if (!existsSync(secrets)) return;
  mkdirSync(join(partial, 'secrets'), { mode: 0o700 });
  for (const name of readdirSync(secrets)) copyFileSync(join(secrets, name), join(partial, 'secrets', name));
}

function writeSettings(environment: Environment, partial: string): void {
  const lines = Object.entries(environment)
    .filter(([name, value]) => value && settingName.test(name))
    .map(([name, value = '']) => {
      const isSecretFile = name.endsWith('_FILE') && name !== 'STEAM_BOTS_FILE';
      return isSecretFile ? [name.slice(0, -5), readFileSync(value, 'utf8').trim()] : [name, value];
    })
    .map(([name, value]) => `${name}=${value}`)
    .sort();
  writeFileSync(join(partial, 'settings.env'), `${lines.join('\n')}\n`, { mode: 0o600 });
  const botsFile = environment.STEAM_BOTS_FILE;
  if (botsFile && existsSync(botsFile)) copyFileSync(botsFile, join(partial, 'steam-bots.json'));
}

/** All files below a folder, as paths within it. */
function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(join(folder, name)).isFile())
    .sort();
}

/** The complete backups in a folder, oldest first. */
export function listBackups(backupsFolder: string): string[] {
  if (!existsSync(backupsFolder)) return [];
  return readdirSync(backupsFolder)
    .filter((name) => name.startsWith(prefix) && !name.endsWith('.partial'))
    .sort()
    .map((name) => join(backupsFolder, name));
}

/** Deletes all but the newest backups, and what an interrupted one left. Returns the deleted folders. */
export function pruneBackups(backupsFolder: string, amount: number): string[] {
  const old = listBackups(backupsFolder).slice(0, -amount);
  const partial = readdirSync(backupsFolder)
    .filter((name) => name.startsWith(prefix) && name.endsWith('.partial'))
    .map((name) => join(backupsFolder, name));
  for (const folder of [...old, ...partial]) rmSync(folder, { recursive: true, force: true });
  return old;
}
