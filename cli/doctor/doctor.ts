import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isBackedUpHere, readBackupStatus } from '#platform/backup-status.ts';
import { type Environment, readConfiguration } from '#platform/configuration.ts';
import { backupFolderOf, storeVariables } from '#platform/shared-variables.ts';
import { readSteamBotsFile } from '#platform/steam-bots-file.ts';
import { findDemoInStore, findInstanceInStore } from '../demo/claim-store.ts';
import { readDemoNotes } from '../demo/demo-notes.ts';
import { bringsOwnWorld } from '../settings.ts';
import { examineBackups } from './examine-backups.ts';
import { examineBackupFolder, examineFolder, findClosed, folderClosed } from './examine-folder.ts';
import { examinePostgres } from './examine-postgres.ts';
import { accountsArea, examineAccounts, examineServers } from './examine-servers.ts';
import { examineSettings } from './examine-settings.ts';
import { examineStore } from './examine-store.ts';
import { examineStripeKeys, stripePlan } from './examine-stripe.ts';
import { type Examined, type Finding, notExamined, type Times } from './finding.ts';
import { readPart } from './read-part.ts';

/** Names of findings after which nothing else in the database can be examined. */
const unusable = new Set(['databaseUnreachable', 'databaseDamaged', 'migrationPending', 'schemaNewer']);

/** Examines settings, data folder, database and backups. Changes nothing, and asks no server but the database's. */
export async function examine(environment: Environment, times: Times): Promise<Finding[]> {
  const { findings, omissions } = await examineHere(environment, times);
  return [...findings, ...notExamined(omissions)];
}

const dataFolderOf = (environment: Environment): string => environment.KEEPSAKE_DATA_DIR || 'data';

async function examineHere(environment: Environment, times: Times): Promise<Examined> {
  const dataFolder = dataFolderOf(environment);
  const isDemo = bringsOwnWorld(environment) && readDemoNotes(dataFolder) !== null;
  const stripe = readPart('the keys of Stripe', stripePlan, environment);
  const findings = [
    ...examineSettings(environment, isDemo),
    ...(stripe.ok ? examineStripeKeys(stripe.values) : []),
  ];
  const omissions = stripe.ok ? [] : [stripe.omission];
  const closed = findClosed(dataFolder);
  if (closed === null) {
    const stored = await examineStored(environment, times);
    return {
      findings: [...(await examineUse(environment)), ...findings, ...stored.findings],
      omissions: [...omissions, ...stored.omissions],
    };
  }
  const area = 'all but the settings';
  return {
    findings: [...findings, folderClosed(closed, dataFolder)],
    omissions: [...omissions, { area, because: `${closed} cannot be read` }],
  };
}

/** Examines the data folder, the database and the backups. */
async function examineStored(environment: Environment, times: Times): Promise<Examined> {
  const dataFolder = dataFolderOf(environment);
  const store = readPart('the database', storeVariables, environment);
  const backupFolder = backupFolderOf({
    KEEPSAKE_DATA_DIR: dataFolder,
    BACKUP_DIR: environment.BACKUP_DIR || undefined,
  });
  const backups = readBackupStatus(backupFolder);
  const hasServer = Boolean(environment.DATABASE_URL || environment.DATABASE_URL_FILE);
  // An instance that makes no backups of PostgreSQL here has them made elsewhere.
  const areElsewhere = hasServer && environment.BACKUP_COUNT === '0' && !isBackedUpHere(backups);
  const findings = examineFolder(dataFolder, { hasDatabase: !hasServer });
  if (environment.BACKUP_DIR && !areElsewhere)
    findings.push(...examineBackupFolder(environment.BACKUP_DIR, dataFolder));
  if (store.ok) {
    const { DATABASE_URL: url } = store.values;
    const configured = findConfiguredBots(environment);
    findings.push(
      ...(url
        ? await examinePostgres(url, times, configured)
        : await examineStore(join(dataFolder, 'keepsake.db'), times, configured)),
    );
  }
  if (!areElsewhere) findings.push(...examineBackups(backups, times.systemMs));
  return { findings, omissions: store.ok ? [] : [store.omission] };
}

/** The names of the configured bots; null if they are unknown. */
function findConfiguredBots({ STEAM_BOTS_FILE: file }: Environment): readonly string[] | null {
  const listed = file ? readSteamBotsFile(file) : null;
  return listed?.ok ? listed.bots.map(({ name }) => name) : null;
}

/**
 * Examines whether these settings would start the demo on a real instance's store, or a real instance on the
 * demo's.
 */
async function examineUse(environment: Environment): Promise<Finding[]> {
  const store = readConfiguration(storeVariables, environment);
  if (!store.ok) return [];
  const find = bringsOwnWorld(environment) ? findInstanceInStore : findDemoInStore;
  // A store that cannot be opened is reported by its own examination.
  const finding = await find(store.values).catch(() => null);
  return finding ? [finding] : [];
}

/** Examines all that `examine` does, and asks the servers and about the accounts that the settings name. */
export async function examineWithServers(environment: Environment, times: Times): Promise<Finding[]> {
  // The bot's secret is in the data folder.
  const isClosed = findClosed(dataFolderOf(environment)) !== null;
  const [here, there] = await Promise.all([
    examineHere(environment, times),
    isClosed ? { findings: [], omissions: [] } : examineServers(environment, times.systemMs),
  ]);
  if (isClosed) return [...here.findings, ...notExamined(here.omissions)];
  const accounts = await examineAccountsIn(environment, here, times.systemMs);
  const seen = [...there.findings, ...accounts.findings];
  const omissions = [...here.omissions, ...there.omissions, ...accounts.omissions];
  return [...mergeFindings(here.findings, seen), ...notExamined(omissions)];
}

async function examineAccountsIn(
  environment: Environment,
  here: Examined,
  systemMs: number,
): Promise<Examined> {
  const obstacle = here.findings.find(({ name }) => unusable.has(name));
  if (obstacle) return { findings: [], omissions: [{ area: accountsArea, because: obstacle.name }] };
  return isStoreThere(environment) ? examineAccounts(environment, systemMs) : { findings: [], omissions: [] };
}

const isStoreThere = (environment: Environment): boolean =>
  Boolean(environment.DATABASE_URL || environment.DATABASE_URL_FILE) ||
  existsSync(join(dataFolderOf(environment), 'keepsake.db'));

/** Replaces expected findings by those seen on a server, such as a proxy that is not trusted. */
export function mergeFindings(expected: readonly Finding[], seen: readonly Finding[]): Finding[] {
  const unseen = expected.filter(({ name }) => !seen.some((each) => each.name === name));
  // Two servers can show the same.
  const isFirst = ({ name, what }: Finding, index: number) =>
    seen.findIndex((each) => each.name === name && each.what === what) === index;
  return [...unseen, ...seen.filter(isFirst)];
}

/** One paragraph for each finding. */
export function describeFindings(findings: readonly Finding[]): string {
  if (findings.length === 0) return 'Nothing is wrong.';
  return findings
    .map(({ name, what, why, remedy }) => `${name}: ${what}\n  ${why}\n  ${remedy}`)
    .join('\n\n');
}
