import { describe, test } from 'vitest';
import { playRule } from './play-rule.ts';

describe('A rule rewards viewers who meet all conditions, and tells the others what is missing', () => {
  for (const pair of [
    ['watch', 'follow'],
    ['watch', 'subscriber'],
    ['watch', 'points'],
    ['follow', 'subscriber'],
    ['follow', 'points'],
    ['subscriber', 'points'],
  ] as const)
    test(`on ${pair.join(' and ')}`, () => playRule(pair));

  test('on all four', () => playRule(['watch', 'follow', 'subscriber', 'points']));
});

test('A rule with a draw does so on watch time and follow time', () =>
  playRule(['watch', 'follow'], { type: 'random' }));
