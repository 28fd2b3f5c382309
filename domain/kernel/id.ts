import { randomBytes, randomFillSync } from 'node:crypto';
import { v7 } from 'uuid';
import { codeLetters } from '#domain/kernel/code.ts';

// Starts in the lower half so that it cannot overflow within a process's life.
let sequence = randomBytes(4).readUInt32BE() >>> 1;

const pool = new Uint8Array(4096);
let used = pool.length;
/** Random bytes from a page-sized buffer: fetching a few at a time costs more than using them. */
function randomOf(size: number): Uint8Array {
  if (used + size > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += size;
  return pool.subarray(used - size, used);
}

/** Creates a uuidv7: unique, ordered by time and, within a millisecond, by creation order in this process. */
export function newId(nowMs: number): string {
  sequence = (sequence + 1) >>> 0;
  return v7({ msecs: nowMs, seq: sequence, random: randomOf(16) });
}

/** Returns whether a string from outside has the form of an id. */
export const isId = (value: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value);

/** Reads the time in a uuidv7, in epoch milliseconds. */
export const momentOf = (id: string): number => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);

/** Returns the lowest id of this moment: every uuidv7 made then or later is at least this. */
export const firstIdAt = (ms: number): string => {
  const time = ms.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`;
};

/** Maximum clock difference between two processes; event readers look back further than this. */
const CLOCK_SKEW_MS = 4_000;

/**
 * Returns whether a string from outside can be a request id made by one of our pages. It becomes the id of
 * the result, so ids from the future are refused: readers that resume from the newest id would skip
 * everything before it.
 */
export const isRequestId = (value: string, nowMs: number): boolean =>
  isId(value) && value[14] === '7' && momentOf(value) <= nowMs + CLOCK_SKEW_MS;

/** Creates eight characters that a person can compare by eye, in two groups: `K7Q2-M4XD`. */
export function newSecurityCode(random: (size: number) => Uint8Array = randomOf): string {
  let code = '';
  for (const byte of random(8)) code += codeLetters[byte % codeLetters.length];
  return `${code.slice(0, 4)}-${code.slice(4)}`;
}
