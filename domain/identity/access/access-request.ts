import { randomInt } from 'node:crypto';
import { minute, second } from '#domain/kernel/time.ts';
import { hashOf } from './secret-token.ts';

/** Time in which a program's request for access can be decided and redeemed. */
export const ACCESS_REQUEST_LIFETIME_MS = 10 * minute;
/** The pause that a program keeps between two questions, and by which it grows after one that came too early (RFC 8628, 3.5). */
export const ASKING_PAUSE_MS = 5 * second;

/** RFC 8628, 6.1: consonants alone, so that no word comes about, and nothing that looks like a security code of an offer. */
const userCodeLetters = 'BCDFGHJKLMNPQRSTVWXZ';
const HALF_LENGTH = 4;

const newHalf = (): string =>
  Array.from({ length: HALF_LENGTH }, () => userCodeLetters[randomInt(userCodeLetters.length)]).join('');

/** Eight letters, `WDJB-MJHT`, to be typed: 34 bits, for ten minutes and few tries. */
export const newUserCode = (): string => `${newHalf()}-${newHalf()}`;

const half = `([${userCodeLetters}]{${HALF_LENGTH}})`;
const typedCode = new RegExp(`^${half}${half}$`, 'i');

/**
 * The user code that somebody typed, as programs show it; null if it cannot be one. Case, spaces and hyphens make no
 * difference. Nothing else is passed over, because a link could carry a sentence beside a code.
 */
export function shownUserCode(code: string): string | null {
  const [, one, other] = typedCode.exec(code.replaceAll(/[\s-]/g, '')) ?? [];
  return one && other ? `${one}-${other}`.toUpperCase() : null;
}

/** The stored form of a user code, from the form in which programs show it. */
export const hashOfUserCode = (shown: string): string => hashOf(`user-code:${shown}`);

/** The stored form of a device code. */
export const hashOfDeviceCode = (code: string): string => hashOf(`device-code:${code}`);
