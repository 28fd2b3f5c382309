import { config } from '#app/config.server.ts';
import type { Vault } from '#domain/kernel/vault.ts';
import { createVault } from '#platform/vault.ts';

let made: Vault | null = null;

/** Encrypts and decrypts secrets at rest with the instance's key, which is configured in hexadecimal. */
export function vault(): Vault {
  made ??= createVault(Buffer.from(config().encryptionKey, 'hex').toString('base64'));
  return made;
}
