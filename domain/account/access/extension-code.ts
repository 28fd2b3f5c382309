import { randomInt } from 'node:crypto';
import { minute } from '#domain/time.ts';
import { hashOf } from './secret-token.ts';

/** Lifetime of a companion app code. */
export const EXTENSION_CODE_LIFETIME_MS = 10 * minute;

// Without characters that look alike.
const letters = 'ABCDEFGHJKMNPQRSTVWXYZ23456789';
const groups = 3;
const groupLength = 4;

/** Twelve characters in groups of four, `K7Q2-M4XD-9TFB`: short enough to type, and 58 bits are too many to guess. */
export const newExtensionCode = (): string =>
  Array.from({ length: groups }, () =>
    Array.from({ length: groupLength }, () => letters[randomInt(letters.length)]).join(''),
  ).join('-');

/** The hash stored for a code. Case, and spaces instead of hyphens, make no difference. */
export const hashOfExtensionCode = (code: string): string =>
  hashOf(`extension:${code.toUpperCase().replaceAll(/[^A-Z0-9]/g, '')}`);
