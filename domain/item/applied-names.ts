/** Lines that name what is applied to an item, separated by commas. */
const APPLIED = /^(Sticker|Patch|Charm): (.+)/;
/** A comma within brackets belongs to a name: “rain (Glitter, Champion)”. */
const BETWEEN = /, (?![^(]*\))/;

export const isApplied = (line: string): boolean => APPLIED.test(line);

/**
 * Returns the names in one line of an item's traits of what is applied to it; none of a line that names something else.
 * Most of what is applied are stickers, which need not be called so.
 */
export function appliedNames(line: string): string[] {
  const [, word, names] = APPLIED.exec(line) ?? [];
  return names?.split(BETWEEN).map((name) => (word === 'Sticker' ? name : `${word}: ${name}`)) ?? [];
}
