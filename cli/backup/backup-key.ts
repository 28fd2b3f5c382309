import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Seals } from '#db/sealed-text.ts';
import { findSecret } from '#platform/configuration.ts';
import { sharedSecretFiles } from '#platform/shared-variables.ts';
import { createVault } from '#platform/vault.ts';
import { SETTINGS_FILE } from './settings-file.ts';
import { type Refused, refuseFor } from './unpack-backup.ts';

const KEY_FILE = join('secrets', sharedSecretFiles.ENCRYPTION_KEY);

/** The keys of the machine that restores: as set, which counts, or from its data folder. */
export interface KeysHere {
  configured: string | null;
  stored: string | null;
}

export const keysHere = (dataFolder: string, configured: string | null): KeysHere => ({
  configured,
  stored: findSecret(dataFolder, sharedSecretFiles.ENCRYPTION_KEY),
});

/** The key that an unpacked backup brings: as its instance had it set, which counted, or from its data folder. */
function keyIn(unpacked: string): string | null {
  const settings = readIfThere(join(unpacked, SETTINGS_FILE));
  return /^ENCRYPTION_KEY=(.+)$/m.exec(settings ?? '')?.[1] ?? readIfThere(join(unpacked, KEY_FILE));
}

const readIfThere = (file: string): string | null =>
  existsSync(file) ? readFileSync(file, 'utf8').trim() : null;

/** A key that is not one opens nothing. */
function sealsUnder(key: string): Seals {
  try {
    return createVault(Buffer.from(key, 'hex').toString('base64'));
  } catch {
    const refuse = () => {
      throw new Error('it is no encryption key');
    };
    return { seal: refuse, open: refuse };
  }
}

/** Proves that a backup's own key opens its database. */
export async function proveOwnKey(
  unpacked: string,
  opens: (seals: Seals) => Promise<boolean>,
): Promise<Refused | null> {
  const key = keyIn(unpacked);
  if (key === null)
    return refuseFor(
      'keyMissing',
      'it holds no encryption key, so nothing that is sealed in it could be read: write a new backup with the settings of web and bot',
    );
  if (await opens(sealsUnder(key))) return null;
  return refuseFor(
    'keyWrong',
    'its encryption key does not open its database: write a new backup with the settings of web and bot',
  );
}

/**
 * Proves that the key which will count after a restore opens the backup's database. Unless one is set here, that is the
 * backup's own: it is placed among the secrets that are restored, also where its instance had it among its settings.
 */
export async function proveKeyToBe(
  unpacked: string,
  opens: (seals: Seals) => Promise<boolean>,
  { configured, stored }: KeysHere,
): Promise<Refused | null> {
  const own = keyIn(unpacked);
  const key = configured ?? own ?? stored;
  if (key === null)
    return refuseFor(
      'keyMissing',
      'it holds no encryption key, and there is none here: set the ENCRYPTION_KEY of its instance',
    );
  if (!(await opens(sealsUnder(key)))) {
    if (configured !== null && own !== null && (await opens(sealsUnder(own))))
      return refuseFor(
        'keyWrong',
        'the ENCRYPTION_KEY that is set here does not open it: unset it, and the key in the backup is restored too',
      );
    return refuseFor(
      'keyWrong',
      'no encryption key in it or here opens its database: set the ENCRYPTION_KEY of its instance',
    );
  }
  if (configured === null && own !== null) {
    mkdirSync(dirname(join(unpacked, KEY_FILE)), { recursive: true, mode: 0o700 });
    writeFileSync(join(unpacked, KEY_FILE), own, { mode: 0o600 });
  }
  return null;
}
