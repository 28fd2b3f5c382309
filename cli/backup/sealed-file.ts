import { createCipheriv, createDecipheriv, createHash, randomBytes, scryptSync } from 'node:crypto';
import { closeSync, createReadStream, createWriteStream, fstatSync, openSync, readSync } from 'node:fs';
import { pipeline } from 'node:stream/promises';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** A key for the files of one backup, made from a passphrase and the backup's salt (hexadecimal). */
export const keyFrom = (passphrase: string, salt: string): Buffer =>
  scryptSync(passphrase, Buffer.from(salt, 'hex'), 32, { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 2 ** 20 });

/** Encrypts a file with AES-256-GCM: nonce, text, tag. `name` binds it to its place. */
export async function sealFile(from: string, to: string, key: Buffer, name: string): Promise<void> {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(name));
  await pipeline(
    createReadStream(from),
    cipher,
    async function* (parts: AsyncIterable<Buffer>) {
      yield nonce;
      yield* parts;
      yield cipher.getAuthTag();
    },
    createWriteStream(to, { mode: 0o600 }),
  );
}

/** Decrypts a file; throws when the passphrase is wrong or the file was altered. */
export async function openFile(from: string, to: string, key: Buffer, name: string): Promise<void> {
  const file = openSync(from, 'r');
  const { size } = fstatSync(file);
  const end = size - TAG_BYTES;
  const [nonce, tag] = [Buffer.alloc(NONCE_BYTES), Buffer.alloc(TAG_BYTES)];
  readSync(file, nonce, 0, NONCE_BYTES, 0);
  readSync(file, tag, 0, TAG_BYTES, Math.max(0, end));
  closeSync(file);
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(name)).setAuthTag(tag);
  if (end < NONCE_BYTES) throw new Error(`${name} was cut off`);
  // An empty file has nothing between nonce and tag, and a stream cannot end before it starts.
  const text = end === NONCE_BYTES ? [] : createReadStream(from, { start: NONCE_BYTES, end: end - 1 });
  await pipeline(text, decipher, createWriteStream(to, { mode: 0o600 }));
}

/** The SHA-256 of a file, in hexadecimal. */
export async function digestOf(file: string): Promise<string> {
  const digest = createHash('sha256');
  for await (const part of createReadStream(file)) digest.update(part);
  return digest.digest('hex');
}
