export const MAX_KEYWORD_LENGTH = 25;
const allowed = new RegExp(`^[\\p{L}\\p{M}\\p{N}_-]{2,${MAX_KEYWORD_LENGTH}}$`, 'u');
/** Text that folding only turns to lower case. */
const plain = /^[ -~]*$/;
const invisible = /\p{Default_Ignorable_Code_Point}/gu;
const marks = /\p{M}/gu;

/** Cyrillic and Greek letters that look like Latin ones, after folding to lower case. */
const similarLetters: Readonly<Record<string, string>> = {
  ...{ а: 'a', в: 'b', е: 'e', к: 'k', м: 'm', н: 'h', о: 'o', р: 'p', с: 'c', т: 't', у: 'y', х: 'x' },
  ...{ і: 'i', ј: 'j', ѕ: 's', һ: 'h', ԁ: 'd', ԛ: 'q', ԝ: 'w', ь: 'b' },
  ...{ α: 'a', β: 'b', ε: 'e', ι: 'i', κ: 'k', ν: 'v', ο: 'o', ρ: 'p', τ: 't', υ: 'u', χ: 'x' },
};

/** Returns a text without what nobody sees. Most lines have nothing of the kind, and are not looked through for it. */
const visibleIn = (text: string): string => (plain.test(text) ? text : text.replace(invisible, '')).trim();

/**
 * The key by which keywords are compared: without an exclamation mark, case, marks on letters and what nobody sees, and
 * with one letter for those that look alike, because viewers type on keyboards of two alphabets.
 */
export function keywordKeyOf(typed: string): string {
  const bare = visibleIn(typed).replace(/^!\s*/, '');
  if (plain.test(bare)) return bare.toLowerCase();
  const folded = bare.normalize('NFKD').replace(marks, '').toLowerCase();
  return Array.from(folded, (letter) => similarLetters[letter] ?? letter).join('');
}

/** Returns a keyword as somebody wrote it, without its exclamation mark; null if it cannot be one. */
export function parseKeyword(written: string): string | null {
  const keyword = visibleIn(written).replace(/^!\s*/, '').normalize('NFC');
  return allowed.test(keyword) && keywordKeyOf(keyword).length >= 2 ? keyword : null;
}

/** No line with a keyword before anything else is longer before its first space. */
const LONGEST_WORD = 4 * MAX_KEYWORD_LENGTH;

/**
 * Returns whether a chat line is an entry: the keyword alone, or with an exclamation mark before it and anything behind
 * it. Most lines are told by their length, before anything is folded.
 */
export function isEntry(line: string, keywordKey: string): boolean {
  const text = visibleIn(line);
  const isCommand = text.startsWith('!');
  const word = isCommand ? (/^!\s*\S+/.exec(text)?.[0] ?? '') : text;
  return word.length <= LONGEST_WORD && keywordKeyOf(word) === keywordKey;
}
