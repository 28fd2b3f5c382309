import { join } from 'node:path';
import { readBackupStatus } from '#platform/backup-status.ts';
import type { Environment } from '#platform/configuration.ts';
import { backupFolderOf } from '#platform/shared-variables.ts';
import { examineBackups } from './examine-backups.ts';
import { examineFolder } from './examine-folder.ts';
import { examineSettings } from './examine-settings.ts';
import { examineStore } from './examine-store.ts';
import { examineStripe } from './examine-stripe.ts';
import type { Finding } from './finding.ts';

/** Examines settings, data folder, database, backups and the account at Stripe. Changes nothing, and asks no server but Stripe. */
export async function examine(environment: Environment, nowMs: number, systemMs: number): Promise<Finding[]> {
  const dataFolder = environment.KEEPSAKE_DATA_DIR || 'data';
  const findings = [
    ...examineSettings(environment),
    ...(await examineStripe(environment)),
    ...examineFolder(dataFolder),
  ];
  if (environment.DATABASE_URL || environment.DATABASE_URL_FILE) return findings;
  const backups = backupFolderOf({
    KEEPSAKE_DATA_DIR: dataFolder,
    BACKUP_DIR: environment.BACKUP_DIR || undefined,
  });
  return [
    ...findings,
    ...(await examineStore(join(dataFolder, 'keepsake.db'), nowMs, systemMs)),
    ...examineBackups(readBackupStatus(backups), systemMs),
  ];
}

/** One paragraph for each finding. */
export function describeFindings(findings: readonly Finding[]): string {
  if (findings.length === 0) return 'Nothing is wrong.';
  return findings.map(({ name, what, why, mend }) => `${name}: ${what}\n  ${why}\n  ${mend}`).join('\n\n');
}
