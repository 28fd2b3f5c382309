// Decrypts a message as a browser does: RFC 8291 (the keys) over RFC 8188 (the coding "aes128gcm"). Written from the RFCs,
// and without the package that the product encrypts with.
import { createDecipheriv, createECDH, hkdfSync } from 'node:crypto';

/** A browser's side of a subscription. */
export interface BrowserKeys {
  /** In base64url: the private key of P-256, and 16 random bytes. */
  privateKey: string;
  auth: string;
}

const TAG_BYTES = 16;
const derive = (secret: Buffer, salt: Buffer, info: Buffer, bytes: number): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, salt, info, bytes));

/** Returns the text of a body; throws if it was not written for these keys, or was altered. */
export function decryptPush(body: Buffer, { privateKey, auth }: BrowserKeys): string {
  const salt = body.subarray(0, 16);
  const recordBytes = body.readUInt32BE(16);
  const keyBytes = body.readUInt8(20);
  const senderKey = body.subarray(21, 21 + keyBytes);
  const record = body.subarray(21 + keyBytes);
  // RFC 8291, section 4: one record only.
  if (record.length > recordBytes) throw new Error('a push has one record');
  const own = createECDH('prime256v1');
  own.setPrivateKey(Buffer.from(privateKey, 'base64url'));
  const keyInfo = Buffer.concat([Buffer.from('WebPush: info\0'), own.getPublicKey(), senderKey]);
  const shared = derive(own.computeSecret(senderKey), Buffer.from(auth, 'base64url'), keyInfo, 32);
  const key = derive(shared, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16);
  const nonce = derive(shared, salt, Buffer.from('Content-Encoding: nonce\0'), 12);
  const decipher = createDecipheriv('aes-128-gcm', key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAuthTag(record.subarray(record.length - TAG_BYTES));
  const plain = Buffer.concat([
    decipher.update(record.subarray(0, record.length - TAG_BYTES)),
    decipher.final(),
  ]);
  // The text ends with 2 and any number of zeros (RFC 8188, section 2).
  const end = plain.findLastIndex((byte) => byte !== 0);
  if (plain[end] !== 2) throw new Error('the last record does not end with 2');
  return plain.subarray(0, end).toString('utf8');
}
