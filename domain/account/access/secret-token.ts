import { createHash, randomBytes } from 'node:crypto';

/** 256 bits that only their holder knows: a session's cookie, a link in a mail. */
export const newSecretToken = (): string => randomBytes(32).toString('base64url');

/** What is stored of a token. It is long and random, so that a plain hash cannot be guessed back. */
export const hashOf = (token: string): string => createHash('sha256').update(token).digest('base64url');
