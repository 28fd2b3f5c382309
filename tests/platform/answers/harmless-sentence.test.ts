import { expect, test } from 'vitest';
import { harmlessSentence } from '#platform/answers/harmless-sentence.ts';

test.each([
  ['There was an error sending your trade offer. Please try again later. (28)', null],
  [
    'This Trade URL is no longer valid for sending a trade offer to xX_Somebody_Xx.',
    'This Trade URL is no longer valid for sending a trade offer to …',
  ],
  ['Some Body cannot trade until 76561198000000009 (10)', 'Some … cannot trade until … (10)'],
  ['See https://example.org/?token=abc and a@example.org', 'See … and …'],
])('Words that may be names, ids or addresses are left out of %s', (sentence, harmless) => {
  expect(harmlessSentence(sentence)).toBe(harmless ?? sentence);
});

test('A long sentence is cut', () => {
  expect(harmlessSentence('trade '.repeat(1000)).length).toBeLessThanOrEqual(300);
});
