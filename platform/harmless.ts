import { isolated } from './isolated.ts';

/**
 * Letters of scripts whose writing needs joiners: Persian and the Indic languages (UAX #31, rules A1, A2 and B).
 */
const joining =
  '[\\p{sc=Arab}\\p{sc=Syrc}\\p{sc=Nkoo}\\p{sc=Mong}\\p{sc=Deva}\\p{sc=Beng}\\p{sc=Guru}\\p{sc=Gujr}\\p{sc=Orya}\\p{sc=Taml}\\p{sc=Telu}\\p{sc=Knda}\\p{sc=Mlym}\\p{sc=Sinh}\\p{sc=Khmr}\\p{sc=Mymr}]';

/** Characters without a shape that have a meaning where they stand (UTS #51): within emoji, and between such letters. */
const meant = [
  // The flags of England, Scotland and Wales.
  '\\u{1F3F4}\\u{E0067}\\u{E0062}(?:\\u{E0065}\\u{E006E}\\u{E0067}|\\u{E0073}\\u{E0063}\\u{E0074}|\\u{E0077}\\u{E006C}\\u{E0073})\\u{E007F}',
  '\\p{ExtPict}[\\uFE0E\\uFE0F]?\\p{EMod}?(?:\\u200D\\p{ExtPict}\\uFE0F?\\p{EMod}?)*',
  // Behind the digit of a keycap, which stands before the run.
  '^\\uFE0F\\u20E3',
  `(?<=${joining})[\\u200C\\u200D](?=${joining})`,
].join('|');

/**
 * Characters that are invisible, or that change the direction of the following text (UAX #9): characters
 * without a shape, blank letters and notes, controls other than tabs and line breaks, placeholders, and
 * halves of characters.
 */
const hidden =
  '[\\p{Bidi_C}\\p{DI}\\p{Cs}\\p{NChar}\\u2028\\u2029\\u2800\\uFFF9-\\uFFFC\\u{13430}-\\u{1343F}\\u{16FE4}\\u{1D159}\\u0000-\\u0008\\u000B\\u000C\\u000E-\\u001F\\u007F-\\u009F]';
const parts = new RegExp(`(${meant})|([\\u2028\\u2029])|${hidden}`, 'gu');

/** More marks on one letter than UTS #39 (5.4) lets a language have: they would cover the lines around it. */
const tower = /((?:(?!\p{DI})[\p{Mn}\p{Me}]){4})(?:(?!\p{DI})[\p{Mn}\p{Me}])+/gu;

/** Looks for towers last, because what is hidden between marks would divide them. */
const harmlessRun = (run: string): string =>
  run.replace(parts, (_, whole?: string, line?: string) => whole ?? (line ? ' ' : '')).replace(tower, '$1');

/**
 * Runs of anything but Latin, Cyrillic and their punctuation. Whole pages are looked
 * through, and asking for properties of each character would take longer than drawing them.
 */
const unusual =
  /[^\t\n\r -~\u00a0-\u00a8\u00aa-\u00ac\u00af-\u02ff\u0400-\u0482\u048a-\u052f\u2010-\u2027\u2030-\u203b\u20ac]+/g;

/**
 * Returns a text as it is shown everywhere: without hidden characters, which would let one name look like
 * another or reorder the text around it. Names from platforms and from earlier versions may contain them.
 */
export const harmless = (text: string): string => text.replace(unusual, harmlessRun);

/**
 * Like `harmless`, for a line or letter that we wrote with names in it: the marks around names of the other
 * direction stay.
 */
export const harmlessText = (text: string): string => keeping(text, /(\u2068[^\u2068\u2069\n]*\u2069)/);

/** Like `harmlessText`, for a document: marks in one part of it never belong to those in another. */
export const harmlessMarkup = (html: string): string => keeping(html, /(\u2068[^\u2068\u2069\n<>"]*\u2069)/);

function keeping(text: string, marked: RegExp): string {
  if (!text.includes('\u2068')) return harmless(text);
  const parts = text.split(marked);
  return parts.map((part, place) => (place % 2 === 1 ? isolated(harmless(part)) : harmless(part))).join('');
}

const harmlessValue = (_: string, value: unknown): unknown =>
  typeof value === 'string' ? harmless(value) : value;

/** Escapes of JSON behind which something hidden could stand; `unusual` finds what is not escaped. */
const escapes = /\\[ubf]/;

/** Writes a value as JSON with all its texts harmless. Most need no look at each text. */
export function harmlessJson(value: unknown, space?: number): string {
  const json = JSON.stringify(value, null, space);
  const isHarmless = !escapes.test(json) && json.search(unusual) === -1;
  return isHarmless ? json : JSON.stringify(value, harmlessValue, space);
}

/** Returns whether a text contains nothing hidden, which is required of everything typed here. */
export const isHarmless = (text: string): boolean => harmless(text) === text;
