import { describe, test } from 'vitest';
import { playRule } from './play-rule.ts';

describe('A rule rewards who meets what it asks, and tells the others what is missing', () => {
  for (const condition of ['watch', 'follow', 'subscriber', 'points'] as const)
    test(`on ${condition}`, () => playRule([condition]));
});

describe('A rule that draws does so', () => {
  for (const condition of ['watch', 'follow'] as const)
    test(`on ${condition}`, () => playRule([condition], { type: 'random' }));
});
