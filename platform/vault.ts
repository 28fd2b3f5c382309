import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Encrypts secrets at rest with AES-256-GCM and `key` (32 bytes in base64). Text encrypted for one purpose cannot be
 * decrypted for another; altered text, or text from another key, throws.
 */
export function createVault(key: string) {
  const secret = Buffer.from(key, 'base64');
  if (secret.length !== 32) throw new Error('the encryption key must be 32 bytes in base64');
  return {
    seal(text: string, purpose: string): string {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', secret, nonce).setAAD(Buffer.from(purpose));
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return `v1.${Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url')}`;
    },
    open(sealed: string, purpose: string): string {
      const bytes = Buffer.from(sealed.replace(/^v1\./, ''), 'base64url');
      const nonce = bytes.subarray(0, NONCE_BYTES);
      // Without an explicit length Node accepts a truncated tag, which is easier to forge.
      const decipher = createDecipheriv('aes-256-gcm', secret, nonce, { authTagLength: TAG_BYTES });
      decipher.setAAD(Buffer.from(purpose)).setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
      return Buffer.concat([
        decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)),
        decipher.final(),
      ]).toString('utf8');
    },
  };
}
