/** Characters of the scripts that are written from right to left: the blocks that Unicode keeps for them (UAX #9). */
const turning = /[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC\u{10800}-\u{10FFF}\u{1E800}-\u{1EFFF}]/u;

/**
 * A name as it stands in a text: one that is written from right to left would turn the words, digits and quotes around
 * it, and is isolated from them by marks (FSI and PDI). Others stay as they are, and so does a line with such marks.
 */
export const isolated = (name: string): string =>
  turning.test(name) && !name.includes('\u2068') ? `\u2068${name}\u2069` : name;

/** Names and other words in one line. Whatever is not there is left out. */
export const joined = (parts: readonly (string | null | undefined)[], between: string): string =>
  parts.flatMap((part) => (part ? isolated(part) : [])).join(between);
