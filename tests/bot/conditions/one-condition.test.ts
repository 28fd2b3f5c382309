import { describe, test } from 'vitest';
import { playRule } from './play-rule.ts';

describe('A rule rewards viewers who meet its condition, and tells the others what is missing', () => {
  for (const condition of ['watch', 'follow', 'subscriber', 'points'] as const)
    test(`on ${condition}`, () => playRule([condition]));
});

describe('A rule with a draw does so too', () => {
  for (const condition of ['watch', 'follow'] as const)
    test(`on ${condition}`, () => playRule([condition], { type: 'random' }));
});
