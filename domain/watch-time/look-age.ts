import { minute } from '#domain/kernel/time.ts';

/** A look at a chat that is older says nothing about now: the next one failed, or is late. */
export const MAX_LOOK_AGE_MS = 3 * minute;
