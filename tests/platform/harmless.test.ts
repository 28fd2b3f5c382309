import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { harmless, harmlessJson, isHarmless } from '#platform/harmless.ts';

describe('Nothing is changed in', () => {
  test.each([
    ['Russian', 'Мира ё'],
    ['Persian with a joiner', 'می\u200Cخواهم'],
    ['Hindi with a joiner', 'क\u094D\u200Dष'],
    ['Hebrew with points', 'שָׁלוֹם'],
    ['Thai', 'น้ำ'],
    ['decomposed Latin', 'e\u0301'],
    ['a family', '👨\u200D👩\u200D👧'],
    ['a heart in colour', '❤\uFE0F'],
    ['a skin tone in a profession', '👩🏽\u200D💻'],
    ['the rainbow flag', '🏳\uFE0F\u200D🌈'],
    ['the flag of Scotland', '🏴\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}'],
    ['a keycap', '1\uFE0F\u20E3'],
    ['names of items', '★ StatTrak™ Karambit | Gamma Doppler (Factory New)'],
    ['lines', 'one\r\ntwo\tthree'],
  ])('%s', (_, text) => {
    expect(harmless(text)).toBe(text);
  });
});

describe('A name cannot contain', () => {
  test.each([
    ['a zero-width space', 'de\u200Bmo', 'demo'],
    ['a joiner between Latin letters', 'de\u200Dmo', 'demo'],
    ['a joiner at an end', 'می\u200C', 'می'],
    ['an override', '\u202Egpj.exe', 'gpj.exe'],
    ['an isolate', '\u2067demo\u2069', 'demo'],
    ['an Arabic letter mark', 'demo\u061C', 'demo'],
    ['tag letters', 'demo\u{E0041}\u{E0042}', 'demo'],
    ['tag letters behind a flag', '🏴\u{E0041}\u{E007F}', '🏴'],
    ['a variation of a letter', 'a\uFE0Fb', 'ab'],
    ['a variation of a variation', '❤\uFE0F\uFE0F', '❤\uFE0F'],
    ['a variation from the supplement', 'a\u{E0101}b', 'ab'],
    ['a Hangul filler', '\u3164', ''],
    ['a control of hieroglyphs', 'de\u{13430}mo', 'demo'],
    ['a note without a head', 'de\u{1D159}mo', 'demo'],
    ['a Khitan filler', 'de\u{16FE4}mo', 'demo'],
    ['a placeholder of an object', 'de\uFFFCmo', 'demo'],
    ['what is no character', 'de\u{1FFFE}mo', 'demo'],
    ['a blank in Braille', '\u2800', ''],
    ['a soft hyphen', 'de\u00ADmo', 'demo'],
    ['a byte order mark', '\uFEFFdemo', 'demo'],
    ['a control character', 'de\u0007mo\u009F', 'demo'],
    ['a line separator', 'de\u2028mo', 'de mo'],
    ['half a character', 'demo\uD800', 'demo'],
    ['a variation among marks', 'x\u0301\u0301\u0301\uFE0F\u0301\u0301', `x${'\u0301'.repeat(4)}`],
    ['a keycap on a mark', 'x\u0301\uFE0F\u20E3', 'x\u0301\u20E3'],
    ['a tower of marks', `x${'\u0301'.repeat(40)}`, `x${'\u0301'.repeat(4)}`],
  ])('%s', (_, text, shown) => {
    expect(isHarmless(text)).toBe(false);
    expect(harmless(text)).toBe(shown);
  });
});

/** Characters of names that people use, and of those that they should not. */
const odd = fc.string({
  unit: fc.oneof(
    fc.constantFrom(
      '\u200B',
      '\u200C',
      '\u200D',
      '\u202E',
      '\u2066',
      '\u2069',
      '\uFE0F',
      '\u3164',
      '\u{E0041}',
      '\u0301',
    ),
    fc.constantFrom('a', 'ж', '1', '❤', '👩', 'ی', 'क', '\u20E3', ' ', '\n', '🏴', '🏽'),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
  ),
});

test('What is shown has nothing hidden left, and only ever loses something', () => {
  fc.assert(
    fc.property(odd, (name) => {
      const shown = harmless(name);
      expect(harmless(shown)).toBe(shown);
      expect(shown.length).toBeLessThanOrEqual(name.length);
      expect(shown).not.toMatch(/[\p{Bidi_C}\p{Cs}\u200B\u2028\u2029\u3164\u{E0041}]/u);
      expect(JSON.parse(harmlessJson({ name }))).toEqual({ name: shown });
    }),
    { numRuns: 2000 },
  );
});

/** A hidden character alone among usual ones, which JSON escapes or not. */
const rarelyOdd = fc
  .tuple(
    fc.constantFrom('', 'a\\', 'жé"', '\\u'),
    fc.integer({ min: 0, max: 0xffff }),
    fc.constantFrom('', 'b'),
  )
  .map(([before, code, behind]) => `${before}${String.fromCharCode(code)}${behind}`);

test('JSON has each of its texts harmless, whichever of them is not', () => {
  fc.assert(
    fc.property(rarelyOdd, fc.constantFrom(undefined, 2), (text, space) => {
      const shown = harmless(text);
      expect(harmlessJson({ a: 1, b: ['x', { text }] }, space)).toBe(
        JSON.stringify({ a: 1, b: ['x', { text: shown }] }, null, space),
      );
    }),
    { numRuns: 5000 },
  );
});
