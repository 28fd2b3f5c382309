import { describe, expect, test } from 'vitest';
import { promptFor, titlesFor } from '#bot/twitch/points/custom-reward-text.ts';

const ruleId = '019ab0c4-77aa-7bbb-8ccc-0123456789ab';

test('A custom reward has its rule’s name, or that with a unique suffix, or none of it', () => {
  expect(titlesFor({ ruleId, ruleName: '  A case \n for the crew ' })).toEqual([
    'A case for the crew',
    'A case for the crew · 6789ab',
    'Keepsake · 6789ab',
  ]);
});

test.each(['x'.repeat(46), '🎁'.repeat(40), 'слово '.repeat(20)])(
  'A long name is truncated between characters: %s',
  (ruleName) => {
    const [title, marked] = titlesFor({ ruleId, ruleName });
    for (const one of [title, marked]) {
      expect(one.length).toBeLessThanOrEqual(45);
      expect(one.length).toBeGreaterThan(40);
      expect(() => encodeURIComponent(one)).not.toThrow();
    }
    expect(title).not.toBe(marked);
    expect(marked.endsWith('… · 6789ab')).toBe(true);
  },
);

describe.each(['en', 'ru'] as const)('The custom reward’s prompt in %s', (locale) => {
  const host = 'keepsake.example';
  const prompt = (winnable: string[], asksMore = false) => promptFor({ locale, winnable, host, asksMore });

  test('fits Twitch’s limit', () => {
    expect(prompt(['Demo case', 'Demo knife'])).toContain(': Demo case / Demo knife. ');
    for (const asksMore of [false, true]) {
      const long = prompt(['★ Demo knife '.repeat(30)], asksMore);
      expect(long.length).toBeLessThanOrEqual(200);
      expect(long.length).toBeGreaterThan(195);
      expect(long).toContain(host);
      expect(long).toContain(locale === 'en' ? 'points are refunded.' : 'баллы вернутся.');
    }
  });

  test('says when nothing can be won', () => {
    expect(prompt([])).toContain(locale === 'en' ? 'No rewards are left' : 'наград не осталось');
  });

  test('links to the other conditions if there are any', () => {
    const words = locale === 'en' ? 'the other conditions first: ' : 'остальные условия: ';
    expect(prompt(['Demo case'], true)).toContain(`${words}${host}`);
    expect(prompt(['Demo case'])).not.toContain(words);
  });
});
