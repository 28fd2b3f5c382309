import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { type DrawKey, pickCandidate } from '#domain/draw/pick-candidate.ts';
import { chiSquare, pValue } from '#tests/support/chi-square.ts';

const seed = '00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff';
const weighing = (weights: readonly number[]) => weights.map((weight, place) => ({ weight, place }));

describe('Over 100,000 draws', () => {
  const DRAWS = 100_000;
  /** Uneven, down to one in 1,000: even the rarest kind is expected a hundred times. */
  const weights = [400, 1, 250, 49, 200, 100];
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  /** A fair picker fails for one seed in a thousand; the seed is fixed, so this test does not depend on luck. */
  const LEAST_P = 0.001;

  type Picker = (key: DrawKey, candidates: { weight: number; place: number }[]) => { place: number };

  function pOf(pick: Picker): number {
    const counts = weights.map(() => 0);
    const candidates = weighing(weights);
    for (let number = 1; number <= DRAWS; number++) {
      const { place } = pick({ ruleId: 'demo-rule', number, twitchId: String(50_000 + number) }, candidates);
      counts[place] = (counts[place] ?? 0) + 1;
    }
    const expected = weights.map((weight) => (DRAWS * weight) / total);
    return pValue(chiSquare(counts, expected), weights.length - 1);
  }

  const at = (place: number, candidates: { weight: number; place: number }[]) => {
    let left = place;
    for (const candidate of candidates) {
      if (left < candidate.weight) return candidate;
      left -= candidate.weight;
    }
    return { place: 0 };
  };
  const bytesOf = ({ ruleId, number, twitchId }: DrawKey) =>
    createHmac('sha256', seed).update(`${ruleId}:${number}:${twitchId}`).digest();

  test('each kind is drawn according to its weight (chi-square, p at least 0.001)', () => {
    const p = pOf((key, candidates) => pickCandidate(seed, key, candidates));
    expect(p).toBeGreaterThan(LEAST_P);
  });

  const biased: [string, Picker][] = [
    [
      'takes the remainder of ten bits',
      (key, candidates) => at((bytesOf(key).readUInt16BE(0) & 1023) % total, candidates),
    ],
    [
      'lets the last kind pass for the first in every tenth draw',
      (key, candidates) => {
        const { place } = pickCandidate(seed, key, candidates);
        return { place: place === weights.length - 1 && key.number % 10 === 0 ? 0 : place };
      },
    ],
    [
      'forgets the weights',
      (key, candidates) => ({ place: bytesOf(key).readUInt32BE(0) % candidates.length }),
    ],
  ];
  test.each(biased)('a picker that %s is detected', (_name, pick) => {
    expect(pOf(pick)).toBeLessThan(LEAST_P);
  });
});

test.each([
  [3.841_459, 1, 0.05],
  [11.070_498, 5, 0.05],
  [29.588_298, 10, 0.001],
  [1.145_476, 5, 0.95],
  [20.515_006, 5, 0.001],
])('A distance of %f at %i degrees of freedom has the probability in printed tables', (x, freedom, p) => {
  expect(pValue(x, freedom)).toBeCloseTo(p, 6);
});
