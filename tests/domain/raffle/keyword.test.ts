import { expect, test } from 'vitest';
import { isEntry, keywordKeyOf, parseKeyword } from '#domain/raffle/keyword.ts';

const entersWith = (keyword: string, line: string) => isEntry(line, keywordKeyOf(keyword));

test.each([
  ['redline', 'redline'],
  ['redline', '!redline'],
  ['redline', '! Redline'],
  ['redline', 'REDLINE '],
  ['redline', '!redline good luck all'],
  ['redline', 'redline\u{E0000}'],
  // Cyrillic е and о, and an accent.
  ['redline', 'r\u0435dline'],
  ['коса', 'koca'],
  ['КОСА', '!коса'],
  ['poco', 'росо'],
  ['ёлка', 'елка'],
])('“%s” is entered with “%s”', (keyword, line) => {
  expect(entersWith(keyword, line)).toBe(true);
});

test.each([
  ['redline', 'redline is a nice skin'],
  ['redline', 'where is !redline'],
  ['redline', '!redlines'],
  ['redline', ''],
  ['redline', '!'],
  ['redline', '!'.repeat(500)],
])('“%s” is not entered with “%s”', (keyword, line) => {
  expect(entersWith(keyword, line)).toBe(false);
});

test('A keyword is one word of letters and digits', () => {
  expect(parseKeyword(' !Коса-1 ')).toBe('Коса-1');
  for (const unfit of ['', '!', 'a', 'two words', 'x'.repeat(26), '<b>bold</b>'])
    expect(parseKeyword(unfit), unfit).toBeNull();
});
