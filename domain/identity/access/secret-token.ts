import { createHash, randomBytes } from 'node:crypto';

/** A random 256-bit token for a session cookie or a mailed link. */
export const newSecretToken = (): string => randomBytes(32).toString('base64url');

/** The hash stored for a token. Tokens are long and random, so an unsalted hash cannot be reversed by guessing. */
export const hashOf = (token: string): string => createHash('sha256').update(token).digest('base64url');
