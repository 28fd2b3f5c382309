import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isBackedUpHere, readBackupStatus } from '#platform/backup-status.ts';
import { type Environment, readConfiguration } from '#platform/configuration.ts';
import { backupFolderOf, storeVariables } from '#platform/shared-variables.ts';
import { findDemoInStore, findInstanceInStore } from '../demo/claim-store.ts';
import { readDemoNotes } from '../demo/demo-notes.ts';
import { bringsOwnWorld } from '../settings.ts';
import { examineBackups } from './examine-backups.ts';
import { examineFolder } from './examine-folder.ts';
import { examinePostgres } from './examine-postgres.ts';
import { examineAccounts, examineServers } from './examine-servers.ts';
import { examineSettings } from './examine-settings.ts';
import { examineStore } from './examine-store.ts';
import { examineStripe } from './examine-stripe.ts';
import type { Finding } from './finding.ts';

/** Names of findings after which nothing else in the database can be examined. */
const unusable = new Set(['databaseUnreachable', 'databaseDamaged', 'migrationPending', 'schemaNewer']);

interface Times {
  /** Domain time. */
  nowMs: number;
  systemMs: number;
}

/** Examines settings, data folder, database, backups and the account at Stripe. Changes nothing, and asks no other server. */
export async function examine(environment: Environment, { nowMs, systemMs }: Times): Promise<Finding[]> {
  const dataFolder = environment.KEEPSAKE_DATA_DIR || 'data';
  const findings = [
    ...(await examineUse(environment)),
    ...examineSettings(environment, bringsOwnWorld(environment) && readDemoNotes(dataFolder) !== null),
    ...(await examineStripe(environment)),
    ...examineFolder(dataFolder),
  ];
  const store = readConfiguration(storeVariables, environment);
  if (!store.ok) return findings;
  const backups = readBackupStatus(
    backupFolderOf({ KEEPSAKE_DATA_DIR: dataFolder, BACKUP_DIR: environment.BACKUP_DIR || undefined }),
  );
  const url = store.values.DATABASE_URL;
  // Whoever has none made here for PostgreSQL has them made elsewhere.
  const areElsewhere = url && environment.BACKUP_COUNT === '0' && !isBackedUpHere(backups);
  return [
    ...findings,
    ...(url
      ? await examinePostgres(url, nowMs)
      : await examineStore(join(dataFolder, 'keepsake.db'), nowMs, systemMs)),
    ...(areElsewhere ? [] : examineBackups(backups, systemMs)),
  ];
}

/** Whether these settings would start the demo on a real instance's store, or a real instance on the demo's. */
async function examineUse(environment: Environment): Promise<Finding[]> {
  const store = readConfiguration(storeVariables, environment);
  if (!store.ok) return [];
  const find = bringsOwnWorld(environment) ? findInstanceInStore : findDemoInStore;
  // A store that cannot be opened is named by whoever examines it.
  const finding = await find(store.values).catch(() => null);
  return finding ? [finding] : [];
}

/** Examines all that `examine` does, and asks the servers and about the accounts that the settings name. */
export async function examineWithServers(environment: Environment, times: Times): Promise<Finding[]> {
  const [here, there] = await Promise.all([
    examine(environment, times),
    examineServers(environment, times.systemMs),
  ]);
  const hasStore = !here.some(({ name }) => unusable.has(name)) && isStoreThere(environment);
  const accounts = hasStore ? await examineAccounts(environment, times.systemMs) : [];
  return oncePerName([...here, ...there, ...accounts]);
}

const isStoreThere = (environment: Environment): boolean =>
  Boolean(environment.DATABASE_URL || environment.DATABASE_URL_FILE) ||
  existsSync(join(environment.KEEPSAKE_DATA_DIR || 'data', 'keepsake.db'));

/** What is seen from two sides, such as a proxy that is not trusted, is named once. */
function oncePerName(findings: readonly Finding[]): Finding[] {
  return findings.filter(
    (finding, index) =>
      findings.findIndex(({ name, what }) => name === finding.name && what === finding.what) === index,
  );
}

/** One paragraph for each finding. */
export function describeFindings(findings: readonly Finding[]): string {
  if (findings.length === 0) return 'Nothing is wrong.';
  return findings
    .map(({ name, what, why, remedy }) => `${name}: ${what}\n  ${why}\n  ${remedy}`)
    .join('\n\n');
}
