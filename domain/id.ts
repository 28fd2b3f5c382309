import { randomBytes } from 'node:crypto';
import { v7 } from 'uuid';

/** A uuidv7: unique, and ordered by the moment it was made. */
export const newId = (nowMs: number): string => v7({ msecs: nowMs });

/** Whether a text from outside can be an id at all. */
export const isId = (value: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value);

const letters = 'ABCDEFGHJKMNPQRSTVWXYZ23456789';
/** Eight letters that a person can compare by eye, in two groups: `K7Q2-M4XD`. */
export function newSecurityCode(random: (size: number) => Buffer = randomBytes): string {
  const code = [...random(8)].map((byte) => letters[byte % letters.length]).join('');
  return `${code.slice(0, 4)}-${code.slice(4)}`;
}
