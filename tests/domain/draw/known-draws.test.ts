import { expect, test } from 'vitest';
import { commitmentOf, pickCandidate } from '#domain/draw/pick-candidate.ts';

const seed = '00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff';
const weighing = (weights: readonly number[]) => weights.map((weight, place) => ({ weight, place }));

// Computed with Python's hmac and integers.
test.each([
  [1, '1001', 3],
  [5, '1005', 1],
  [6, '1006', 0],
  [7, '1007', 1],
  [8, '1008', 2],
  [9, '1009', 3],
])('Draw %i for viewer %s selects the candidate that other software computes', (number, twitchId, place) => {
  const key = { ruleId: 'demo-rule', number, twitchId };
  expect(pickCandidate(seed, key, weighing([10, 20, 30, 40])).place).toBe(place);
});

test('A seed’s commitment is the SHA-256 of its text', () => {
  expect(commitmentOf('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});

test('A single candidate is always drawn, and an empty list is a bug', () => {
  const key = { ruleId: 'demo-rule', number: 1, twitchId: '1' };
  expect(pickCandidate(seed, key, weighing([7])).place).toBe(0);
  expect(() => pickCandidate(seed, key, [])).toThrow('no candidates');
});
