import { randomBytes, randomFillSync } from 'node:crypto';
import { v7 } from 'uuid';

// Begins in the lower half, so that it does not come round while a process lives.
let sequence = randomBytes(4).readUInt32BE() >>> 1;

const pool = new Uint8Array(4096);
let used = pool.length;
/** Random bytes, drawn by the page: asking for a few at a time costs more than whatever they are for. */
function randomOf(size: number): Uint8Array {
  if (used + size > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += size;
  return pool.subarray(used - size, used);
}

/** A uuidv7: unique, ordered by the moment it was made, and within a moment by the order in which this process made it. */
export function newId(nowMs: number): string {
  sequence = (sequence + 1) >>> 0;
  return v7({ msecs: nowMs, seq: sequence, random: randomOf(16) });
}

/** Whether a text from outside can be an id at all. */
export const isId = (value: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value);

/** The moment in a uuidv7, in epoch milliseconds. */
export const momentOf = (id: string): number => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);

/** How far the clocks of two processes may differ; readers of events go back further than that. */
const CLOCK_SKEW_MS = 4_000;

/**
 * Whether a text from outside can be the id of a request that a page of ours made. It becomes the id of what the request
 * does, so one that lies ahead is refused: those who read on from the newest id would pass over all that comes before.
 */
export const isRequestId = (value: string, nowMs: number): boolean =>
  isId(value) && value[14] === '7' && momentOf(value) <= nowMs + CLOCK_SKEW_MS;

const letters = 'ABCDEFGHJKMNPQRSTVWXYZ23456789';
/** Eight letters that a person can compare by eye, in two groups: `K7Q2-M4XD`. */
export function newSecurityCode(random: (size: number) => Uint8Array = randomOf): string {
  let code = '';
  for (const byte of random(8)) code += letters[byte % letters.length];
  return `${code.slice(0, 4)}-${code.slice(4)}`;
}
