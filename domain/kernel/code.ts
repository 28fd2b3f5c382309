import { randomInt } from 'node:crypto';

/** The letters of codes that people read or type, without those that look alike. */
export const codeLetters = 'ABCDEFGHJKMNPQRSTVWXYZ23456789';
const GROUP_LENGTH = 4;

const newGroup = (): string =>
  Array.from({ length: GROUP_LENGTH }, () => codeLetters[randomInt(codeLetters.length)]).join('');

/** A secret code in groups of four, `K7Q2-M4XD-9TFB`; each group has 19 bits. */
export const newCode = (groups: number): string => Array.from({ length: groups }, newGroup).join('-');

/** Normalizes a typed code before hashing: case, and spaces instead of hyphens, make no difference. */
export const typedCode = (code: string): string => code.toUpperCase().replaceAll(/[^A-Z0-9]/g, '');
