import { describe, test, vi } from 'vitest';
import { playRule } from './play-rule.ts';

// A play is many acts, one after the other.
vi.setConfig({ testTimeout: 90_000 });

describe('A rule rewards who meets what it asks, and tells the others what is missing', () => {
  for (const condition of ['watch', 'follow', 'subscriber', 'points'] as const)
    test(`on ${condition}`, () => playRule([condition]));
});

describe('A rule that draws does so', () => {
  for (const condition of ['watch', 'follow'] as const)
    test(`on ${condition}`, () => playRule([condition], { type: 'random' }));
});
