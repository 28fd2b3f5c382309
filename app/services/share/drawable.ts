import { harmless } from '#platform/harmless.ts';

/**
 * Matches characters that the files in fonts.server.ts have no drawing for: other scripts, emoji, control
 * characters.
 */
const unknownSigns =
  /[^\u0020-\u007e\u00a0-\u024f\u0400-\u045f\u0490\u0491\u04b0\u04b1\u1e00-\u1e9f\u2010-\u2027\u202f\u2030\u2039\u203a\u2044\u20ac\u2116\u2122\u2191\u2193\u2212]/gu;

/** A text without the signs that would be drawn as empty boxes. */
export const drawable = (text: string): string =>
  harmless(text).normalize('NFC').replace(unknownSigns, ' ').replace(/\s+/g, ' ').trim();

/** The first of some names that can be drawn whole, otherwise the last. */
export function drawableName(...names: readonly [string, ...string[]]): string {
  const whole = names.find((name) => name !== '' && drawable(name) === name.trim());
  return whole ?? drawable(names.at(-1) ?? '');
}
