import { randomInt } from 'node:crypto';
import { minute } from '#domain/time.ts';
import { hashOf } from './secret-token.ts';

/** How long a code for the companion app works. */
export const EXTENSION_CODE_LIFETIME_MS = 10 * minute;

// Without letters that look like a digit, or like one another.
const letters = 'ABCDEFGHJKMNPQRSTVWXYZ23456789';
const groups = 3;
const groupLength = 4;

/** Twelve letters in groups of four, `K7Q2-M4XD-9TFB`: short enough to type, and 58 bits are too many to guess. */
export const newExtensionCode = (): string =>
  Array.from({ length: groups }, () =>
    Array.from({ length: groupLength }, () => letters[randomInt(letters.length)]).join(''),
  ).join('-');

/** What is stored of a code; how it was typed (small letters, blanks for hyphens) makes no difference. */
export const hashOfExtensionCode = (code: string): string =>
  hashOf(`extension:${code.toUpperCase().replaceAll(/[^A-Z0-9]/g, '')}`);
