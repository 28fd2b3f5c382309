import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Seals } from '#db/engine/sealed-text.ts';
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

/** The keys that an unpacked backup brings: as its instance had it set, which counted, and from its data folder. */
function keysIn(unpacked: string): string[] {
  const settings = readIfThere(join(unpacked, SETTINGS_FILE));
  const keys = [/^ENCRYPTION_KEY=(.+)$/m.exec(settings ?? '')?.[1], readIfThere(join(unpacked, KEY_FILE))];
  return keys.filter((key) => typeof key === 'string');
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

/** The first of these keys that opens a database: one that is stale may stand before it. */
async function findOpening(
  keys: readonly string[],
  opens: (seals: Seals) => Promise<boolean>,
): Promise<string | null> {
  for (const key of keys) if (await opens(sealsUnder(key))) return key;
  return null;
}

/** Proves that a backup's own key opens its database. */
export async function proveOwnKey(
  unpacked: string,
  opens: (seals: Seals) => Promise<boolean>,
): Promise<Refused | null> {
  const keys = keysIn(unpacked);
  if (keys.length === 0)
    return refuseFor(
      'keyMissing',
      'it holds no encryption key, so nothing that is sealed in it could be read: write a new backup with the settings of web and bot',
    );
  if ((await findOpening(keys, opens)) !== null) return null;
  return refuseFor(
    'keyWrong',
    'its encryption key does not open its database: write a new backup with the settings of web and bot',
  );
}

/**
 * Proves that the key which will count after a restore opens the backup's database: the one that is set here, or else the
 * first that opens it of the backup's own and the data folder's. That is placed among the secrets that are restored, also
 * where its instance had it among its settings.
 */
export async function proveKeyToBe(
  unpacked: string,
  opens: (seals: Seals) => Promise<boolean>,
  { configured, stored }: KeysHere,
): Promise<Refused | null> {
  const own = keysIn(unpacked);
  const unset = stored === null ? own : [...own, stored];
  if (configured === null && unset.length === 0)
    return refuseFor(
      'keyMissing',
      'it holds no encryption key, and there is none here: set the ENCRYPTION_KEY of its instance',
    );
  if (configured !== null && (await opens(sealsUnder(configured)))) return null;
  const key = await findOpening(unset, opens);
  if (key === null)
    return refuseFor(
      'keyWrong',
      'no encryption key in it or here opens its database: set the ENCRYPTION_KEY of its instance',
    );
  if (configured !== null)
    return refuseFor(
      'keyWrong',
      own.includes(key)
        ? 'the ENCRYPTION_KEY that is set here does not open it: unset it, and the key in the backup is restored too'
        : `the ENCRYPTION_KEY that is set here does not open it, but the key in the data folder (${KEY_FILE}) does: unset ENCRYPTION_KEY`,
    );
  mkdirSync(dirname(join(unpacked, KEY_FILE)), { recursive: true, mode: 0o700 });
  writeFileSync(join(unpacked, KEY_FILE), key, { mode: 0o600 });
  return null;
}
